"""A user's own game, as docs/guides/own_game.md has it: plain hooks, compiled here; their mistakes are sentences."""

from __future__ import annotations

import sys
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from connect4 import Board
from mcts import Search, monte_carlo_values, search
from numerics.games import Game, Playable
from tests import pages
from tests.mcts.games import TicTacToe
from tests.mcts.trees import same

GAME, USE = (block.text for block in pages.page("guides/own_game").python)


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """The names of the page's game."""
    names: dict[str, Any] = {"__name__": "tic_tac_toe"}
    exec(GAME, names)
    return names


@pytest.mark.jit
def test_the_game_of_the_page_is_searched_and_played_as_it_says(page, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tic_tac_toe", SimpleNamespace(**page))
    names: dict[str, Any] = {}
    exec(USE, names)
    assert (names["result"].best_move, names["result"].visits.max()) == (4, 2_523)
    assert names["outcome"](names["board"].state) == 0
    assert capsys.readouterr().out.startswith("4 [")


def test_plain_hooks_search_as_kernels_do(page):
    plain: Playable = page["TicTacToe"]()
    assert plain.game.legal is plain.game.legal  # compiled once
    assert same(search(plain, simulations=200, seed=3), search(TicTacToe(), simulations=200, seed=3))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"outcome": 3}, r"^outcome hook must be a function \(def \.\.\.\); got 3$"),
        ({"play": lambda state: None}, r"^play hook .*<lambda> must take 2 arguments \(state, move\); it takes 1 \("),
        ({"outcome": lambda a, b: 1}, r"must take 1 argument \(state\); it takes 2 \(a, b\)$"),
        ({"playouts": {}}, r"^playouts must include one named 'uniform'; got none$"),
        ({"state": [0.5, 1.0]}, r"^state must be a vector of whole numbers, int64\[S\]; got \[0\.5, 1\.0\]$"),
        ({"state": [[1], [2]]}, r"^state must be a vector of whole numbers"),
    ],
)
def test_what_cannot_be_a_game_is_refused_in_a_sentence(page, wrong: dict[str, Any], said: str):
    with pytest.raises(ValueError, match=said):
        Game(**{**vars(page["TicTacToe"]().game), **wrong})


def moves_that_are_none(state, moves):
    moves[0] = -3
    return 1


def no_moves(state, moves):
    return 0


def more_moves_than_there_is_room_for(state, moves):
    for cell in range(10):
        moves[cell] = cell
    return 10


def play_elsewhere(state, move):
    state[move + 11] = 1


def no_outcome(state):
    return 7


def a_result_above_one(state, rng, r):
    return 2.0


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            {"legal": moves_that_are_none},
            r"^legal hook .*moves_that_are_none must give 1 to most_moves moves, each from",
        ),
        ({"legal": no_moves}, r"^legal hook .*no_moves must give 1 to most_moves moves"),
        (
            {"legal": more_moves_than_there_is_room_for},
            r"^a hook of the game .* reads or writes an array out of bounds",
        ),
        ({"play": play_elsewhere}, r"^a hook of the game .* out of bounds \(NUMBA_DISABLE"),
        ({"outcome": no_outcome}, r"^outcome hook .*no_outcome must return WON, DRAWN, LOST or UNDECIDED$"),
        ({"playouts": {"uniform": a_result_above_one}}, r"^playout hook .* must return a number from 0 to 1$"),
    ],
    ids=lambda one: next(iter(one)) if isinstance(one, dict) else "",
)
def test_what_a_hook_does_wrong_while_it_is_played_is_a_sentence(page, wrong: dict[str, Any], said: str):
    class Wrong:
        game = Game(**{**vars(page["TicTacToe"]().game), **wrong})

    for play in (search, monte_carlo_values):
        with pytest.raises(ValueError, match=said):
            play(Wrong(), simulations=50)


@pytest.mark.jit
def test_a_hook_that_cannot_be_compiled_is_named_with_the_reason(page):
    def nothing(state):
        return None

    with pytest.raises(ValueError, match=r"^outcome hook .*nothing cannot be compiled: No conversion from none to int"):
        Game(**{**vars(page["TicTacToe"]().game), "outcome": nothing})


@pytest.mark.jit
def test_threads_that_share_a_search_take_turns():
    shared, wrong = Search(Board(), seed=1), list[BaseException]()

    def run() -> None:
        try:
            for _ in range(50):
                shared.run(100)
                shared.choose()
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    alone = Search(Board(), seed=1)
    alone.run(20_000)
    assert same(shared.result(), alone.result())
    assert np.isclose(shared.result().visits.sum(), 20_000)
