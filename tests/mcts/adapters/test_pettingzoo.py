"""Environments of PettingZoo as positions: each is played beside the environment itself."""

from __future__ import annotations

import copy
import importlib
import random
from typing import Any

import numpy as np
import pytest

from mcts import search
from mcts.adapters import position_of as known
from mcts.adapters.pettingzoo import position_of
from tests.internals import PettingZooPosition
from tests.refusals import refused

pytest.importorskip("pettingzoo", reason="pettingzoo is not installed")

GAMES = {  # the modules below pettingzoo.classic, and what they need
    "tictactoe": ("tictactoe.tictactoe", "pygame"),
    "connect_four": ("connect_four.connect_four", "pygame"),
    "chess": ("chess.chess", "chess"),
    "go": ("go.go", "pygame"),
}


def environment(name: str, **arguments: Any) -> Any:
    module, needed = GAMES[name]
    for package in ("pygame", needed):
        pytest.importorskip(package)
    env = importlib.import_module(f"pettingzoo.classic.{module}").env(**arguments)
    env.reset(seed=1)
    return env


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("tictactoe", {}), ("connect_four", {}), ("chess", {}), ("go", {"board_size": 5})],
)
def test_a_game_goes_as_its_environment_does(name: str, arguments: dict[str, Any]):
    for seed in range(3):
        env, rng = environment(name, **arguments), random.Random(seed)
        position, totals = position_of(env), dict.fromkeys(env.possible_agents, 0.0)
        for _ in range(60):
            agent = env.agent_selection
            assert position.result() is None
            assert env.possible_agents[position.player()] == agent
            mask = env.observe(agent)["action_mask"]
            assert position.moves() == [action for action, allowed in enumerate(mask) if allowed]
            move = rng.choice(position.moves())
            position = position.play(move)
            env.step(move)
            totals = {each: total + env.rewards[each] for each, total in totals.items()}
            if any(env.terminations.values()):
                break
        if any(env.terminations.values()):
            assert position.result() == tuple(totals.values())
        else:
            assert name in ("chess", "go")
            assert position.result() is None


def test_playouts_are_random_games():
    start = position_of(environment("tictactoe"))
    for seed in range(12):
        rng, position = random.Random(seed), start
        while position.result() is None:
            position = position.play(rng.choice(position.moves()))
        assert start.playout(random.Random(seed), 9) == position.result()
    assert start.playout(random.Random(0), 0) == (0.0, 0.0)
    assert start.result() is None


def test_copies_are_independent_where_those_of_deepcopy_are_empty():
    env = environment("connect_four")
    env.step(3)
    start = position_of(env)
    positions = [start.play(move) for move in start.moves()]
    assert [position.moves() for position in positions] == [list(range(7))] * 7
    boards = [np.array(position.env.unwrapped.board) for position in positions]
    assert len({board.tobytes() for board in boards}) == 7
    assert [int((board != 0).sum()) for board in boards] == [2] * 7
    assert int((np.array(env.unwrapped.board) != 0).sum()) == 1
    env.step(0)
    assert int((np.array(start.env.unwrapped.board) != 0).sum()) == 1
    assert not hasattr(copy.deepcopy(env), "agent_selection")


def test_positions_are_equal_by_their_moves():
    env = environment("tictactoe")
    start = position_of(env)
    assert start.play(0).play(1) == start.play(0).play(1)
    assert hash(start.play(0)) == hash(start.play(0))
    assert start.play(0).play(1).play(2) != start.play(2).play(1).play(0)
    assert start not in (position_of(env), "tictactoe_v3")
    assert str(start.play(4)) == "tictactoe_v3 after 4: player_2 to move"
    assert str(position_of(environment("chess", render_mode="ansi"))).startswith("r n b q k b n r")


def test_what_cannot_be_searched_is_refused():
    module = importlib.import_module("pettingzoo.classic.tictactoe.tictactoe")
    refused(lambda: position_of(module.env()), "env", "reset()")
    env = environment("tictactoe")
    for name in ("hanabi_v5", "leduc_holdem_v4", "texas_holdem_no_limit_v6", "gin_rummy_v4", "rps_v2"):
        env.unwrapped.metadata = {"name": name}
        refused(lambda: position_of(env), "env", name, "information")
    env = environment("tictactoe")
    for move in (0, 1, 3, 4, 6, None, None):
        env.step(move)
        if move in (6, None):
            refused(lambda: position_of(env), "env", "ended")


def board(copied: Any) -> Any:
    """Return a board of tic-tac-toe with a mark, and with a method that copies it in its own way."""
    kind: Any = importlib.import_module("pettingzoo.classic.tictactoe.board").Board
    made = type("Board", (kind,), {"__deepcopy__": lambda self, memo: copied(self, kind)})()
    made.play_turn(0, 4)
    return made


@pytest.mark.parametrize(
    ("name", "value", "fact"),
    [
        ("observe", lambda: lambda agent: 3, "action_mask"),
        ("deck", lambda: [random.Random(1)], "random generator"),
        ("window", lambda: (one for one in ()), "copies"),
        ("board", lambda: board(lambda own, kind: own), "changed the original"),
        ("board", lambda: board(lambda own, kind: kind()), "other observations"),
    ],
)
def test_broken_environments_are_refused(name: str, value: Any, fact: str):
    env = environment("tictactoe")
    setattr(env.unwrapped, name, value())
    refused(lambda: position_of(env), "env", fact)


def test_an_environment_of_two_agents_is_known_and_searched():
    env = environment("tictactoe")
    assert type(known(env)) is type(known(env.unwrapped)) is PettingZooPosition
    for move in (0, 3, 1, 4):
        env.step(move)
    assert search(env, simulations=200).best_move == 2
