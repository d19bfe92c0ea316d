"""One function knows which adapter a state needs, and imports none of the libraries."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from connect4 import Board
from mcts.adapters import position_of
from tests.internals import (
    ChessPosition,
    CopiedPosition,
    OpenSpielChancePosition,
    OpenSpielPosition,
    PettingZooPosition,
)


def test_states_of_openspiel_are_known():
    pyspiel: Any = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("tic_tac_toe")
    assert type(position_of(game)) is OpenSpielPosition
    assert type(position_of(game.new_initial_state())) is OpenSpielPosition
    assert type(position_of(pyspiel.load_game("pig"))) is OpenSpielChancePosition
    with pytest.raises(ValueError, match=r"^game must have perfect information; kuhn_poker has imperfect information"):
        position_of(pyspiel.load_game("kuhn_poker"))


def test_environments_are_known():
    gymnasium: Any = pytest.importorskip("gymnasium")
    env = gymnasium.make("CartPole-v1")
    env.reset()
    assert type(position_of(env)) is CopiedPosition
    pytest.importorskip("pygame")
    games: Any = pytest.importorskip("pettingzoo.classic.tictactoe.tictactoe")
    for env in games.env(), games.raw_env():
        env.reset()
        assert type(position_of(env)) is PettingZooPosition


def test_boards_of_chess_are_known():
    chess: Any = pytest.importorskip("chess")
    assert type(position_of(chess.Board())) is ChessPosition


@pytest.mark.parametrize("other", [None, 3, "hex", Board(), object, [0]], ids=repr)
def test_anything_else_is_not(other: object):
    assert position_of(other) is None


def test_no_library_is_imported():
    libraries = ("pyspiel", "pettingzoo", "gymnasium", "chess", "numba")
    code = (
        f"import sys, mcts.adapters; mcts.adapters.position_of(3); print([n for n in {libraries} if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
