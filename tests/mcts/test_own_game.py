"""A user's own game, as docs/guides/own_game.md has it: plain hooks, compiled here; their mistakes are sentences."""

from __future__ import annotations

import sys
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from connect4 import Board
from mcts import Search, search
from numerics.games import Game, Playable
from tests import pages
from tests.mcts.games import TicTacToe
from tests.mcts.trees import same
from tests.refusals import refused

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
    ("wrong", "start", "fact"),
    [
        ({"outcome": 3}, "outcome hook", "got 3"),
        ({"play": lambda state: None}, "play hook", "it takes 1"),
        ({"outcome": lambda a, b: 1}, "outcome hook", "(a, b)"),
        ({"playouts": {}}, "playouts", "'uniform'"),
        ({"state": [0.5, 1.0]}, "state", "[0.5, 1.0]"),
        ({"state": [[1], [2]]}, "state", "int64[S]"),
        pytest.param({"outcome": lambda state: None}, "outcome hook", "compiled", marks=pytest.mark.jit),
    ],
)
def test_what_cannot_be_a_game_is_refused(page, wrong: dict[str, Any], start: str, fact: str):
    refused(lambda: Game(**{**vars(page["TicTacToe"]().game), **wrong}), start, fact)


@pytest.mark.jit
def test_threads_that_share_a_search_take_turns():
    shared, wrong = Search(Board(), seed=1), list[BaseException]()

    def run() -> None:
        try:
            for _ in range(20):
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
    alone.run(8_000)
    assert same(shared.result(), alone.result())
    assert np.isclose(shared.result().visits.sum(), 8_000)
