"""States of other libraries, recognised by one function and searched as a user does."""

from __future__ import annotations

import copy
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from connect4 import Board
from mcts import MonteCarloPlayer, UCTPlayer, exact_values, search
from mcts.adapters import gymnasium as adapter
from mcts.adapters import position_of
from tests.internals import (
    ChessPosition,
    CopiedPosition,
    OpenSpielChancePosition,
    OpenSpielPosition,
    PettingZooPosition,
)


def test_states_of_openspiel_are_known_searched_and_played_on():
    pyspiel: Any = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    assert type(position_of(pyspiel.load_game("tic_tac_toe"))) is OpenSpielPosition
    assert type(position_of(pyspiel.load_game("pig"))) is OpenSpielChancePosition
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    for move in (0, 3, 1, 4):
        state.apply_action(move)
    assert type(position_of(state)) is OpenSpielPosition
    assert search(state, simulations=500, solve=True).best_move == 2
    for player in (UCTPlayer(simulations=500), MonteCarloPlayer()):
        player.check_board(state)
        assert player.play(state) == 2
    walk = search(pyspiel.load_game("cliff_walking"), simulations=2_000, steps=40)
    assert walk.best_move == 0  # up, from the cliff: a score is a return
    pig = pyspiel.load_game("pig(winscore=20)").new_initial_state()
    assert search(pig, simulations=500).best_move == 0  # roll: holding nothing gains nothing


def test_a_board_of_chess_is_known_and_searched():
    chess: Any = pytest.importorskip("chess", reason="python-chess is not installed")
    board = chess.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    assert type(position_of(board)) is ChessPosition
    assert search(board, simulations=150, solve=True).best_move == chess.Move.from_uci("a1a8")


def test_an_environment_of_two_agents_is_known_and_searched():
    pytest.importorskip("pygame", reason="pygame is not installed")
    module: Any = pytest.importorskip("pettingzoo.classic.tictactoe.tictactoe", reason="pettingzoo is not installed")
    for env in (module.raw_env(), module.env()):
        env.reset(seed=0)
        assert type(position_of(env)) is PettingZooPosition
    for move in (0, 3, 1, 4):
        env.step(move)
    assert search(env, simulations=200).best_move == 2


def test_anything_else_is_no_state_of_another_library_and_none_is_imported():
    assert [position_of(other) for other in (None, 3, "hex", Board(), object, [0])] == [None] * 6
    libraries = ("pyspiel", "pettingzoo", "gymnasium", "chess", "numba")
    code = f"import sys, mcts.adapters as a; a.position_of(3); print([n for n in {libraries} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


class Clairvoyant:
    """A copy of an environment, whose copies carry the generator along: what the adapter must not be."""

    def __init__(self, env: Any, ended: bool = False):
        self.env, self.ended = env, ended

    def moves(self) -> list[int]:
        return [0, 1, 2, 3]

    def play(self, move: int) -> Any:
        env = copy.deepcopy(self.env)
        _, reward, terminated, truncated, _ = env.step(move)
        return Clairvoyant(env, terminated or truncated), (float(reward),)

    def player(self) -> int:
        return 0

    def result(self) -> Any:
        return (0.0,) if self.ended else None


def test_no_search_of_a_lake_knows_the_dice():
    gymnasium: Any = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    env = gymnasium.make("FrozenLake-v1", desc=["SF", "HG"], max_episode_steps=4)
    env.reset(seed=3)
    best = exact_values(adapter.process_of(env), steps=4).value
    assert best < 0.8
    copied = adapter.CopiedPosition(adapter.copy_environment(env)[0], object())
    assert type(copied) is CopiedPosition
    for problem, is_higher in ((env, False), (copied, False), (Clairvoyant(env), True)):
        found = float(np.nanmax(search(problem, simulations=3_000, scale=(0.0, 1.0)).values))
        assert (found > best + 0.1) if is_higher else (best - 0.1 < found < best + 0.05)
