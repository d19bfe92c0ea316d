"""Whole numbers of every type are taken alike, by what checks them and by the kernels behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bandits import identify_best, simulate
from connect4 import Board, Solver, lines_through_cells, winning_lines
from mcts import identify_branch, identify_move, monte_carlo_values, search
from mcts.recording import record
from tests.internals import PGame, count, identify, kl_lucb, line_in_one_colour

BOARD = Board(4, 4, 3)
N = Callable[[int], Any]


def _identified(plan: Any) -> list[int]:
    draws = np.random.default_rng(0)
    return identify(plan, lambda arm, count: draws.binomial(count, 0.2 * (arm + 1))).counts.tolist()


CALLS: dict[str, Callable[[N], Any]] = {
    "record": lambda n: record(BOARD, "ucb", n(20), seed=n(3)).results,
    "monte_carlo_values": lambda n: monte_carlo_values(BOARD, n(30), seed=n(2)).means,
    "identify_branch": lambda n: identify_branch([[0.7, 0.4], [0.6, 0.8]], most=n(100), seed=n(1)).means,
    "search": lambda n: search(BOARD, simulations=n(50), workers=n(2), seed=n(3), playouts_per_leaf=n(2)).visits,
    "identify_move": lambda n: identify_move(BOARD, n(1), most=n(100), seed=n(1)).means,
    "p_game": lambda n: PGame(branching=n(2), depth=n(6), seed=n(1), tree=n(2)).values(),
    "identify_best": lambda n: identify_best("round_robin", [0.1, 0.9], most=n(100), runs=n(3), seed=n(1)).pulls,
    "simulate": lambda n: simulate("ucb", [0.1, 0.9], horizon=n(50), runs=n(3), seed=n(1), block=n(2)).pulls,
    "kl_lucb": lambda n: _identified(kl_lucb(n(3), 0.1, 0.05, batch=n(16), most=n(100))),
    "count": lambda n: list(count(n(4), n(3), plies=n(4), most=n(100))),
    "bounds": lambda n: line_in_one_colour(n(42), n(4)),
    "lines": lambda n: (winning_lines(n(7), n(6), n(4)), lines_through_cells(n(7), n(6), n(4)).tolist()),
    "Board": lambda n: repr(Board(n(7), n(6), n(4))),
    "Solver": lambda n: Solver(n(4), n(4), n(3)).solve(BOARD).score,
}


@pytest.mark.jit
@pytest.mark.parametrize("name", CALLS)
def test_a_whole_number_of_any_type_gives_what_an_int_gives(name: str):
    expected = CALLS[name](int)
    for kind in (np.int8, np.uint64):
        np.testing.assert_equal(CALLS[name](kind), expected)
