"""Bounds: against brute force on small boards, against exact counts, and against numbers everybody knows."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from connect4.combinatorics import bounds, published
from connect4.lines import winning_lines
from tests import data

FACTS = data.read("connect4_counts")


def fillings(width: int, height: int):
    """Every way to colour a full board with half of the cells, rounded up, for the first player."""
    cells = [(row, column) for row in range(height) for column in range(width)]
    for first in itertools.combinations(cells, (len(cells) + 1) // 2):
        yield {cell: cell in first for cell in cells}


def test_numbers_that_everybody_knows():
    assert bounds.games_by_width(7, 6) == 7**42
    assert bounds.games_by_fillings(7, 6) == math.factorial(42) // math.factorial(6) ** 7
    assert bounds.positions_by_cells(7, 6) == 3**42
    assert bounds.positions_by_gravity(7, 6) == 127**7
    assert sum(bounds.positions_by_ply(7, 6)) == 70_728_639_995_483  # Allis, "A knowledge-based approach" (1988)


def test_orders_of_columns_are_those_of_an_enumeration():
    for width, height in ((2, 2), (3, 2), (2, 4), (1, 3)):
        found = bounds.sequences_by_ply(width, height)
        for ply in range(width * height + 1):
            every = itertools.product(range(width), repeat=ply)
            assert found[ply] == sum(max(map(moves.count, moves), default=0) <= height for moves in every)
        assert found[-1] == bounds.games_by_fillings(width, height)


def test_coloured_heaps_are_those_of_an_enumeration():
    for width, height in ((2, 2), (3, 2), (2, 3)):
        columns = [word for size in range(height + 1) for word in itertools.product((1, -1), repeat=size)]
        assert len(columns) ** width == bounds.positions_by_gravity(width, height)
        found = [0] * (width * height + 1)
        for heap in itertools.product(columns, repeat=width):
            stones = sum(map(len, heap))
            found[stones] += sum(map(sum, heap)) == stones % 2
        assert bounds.positions_by_ply(width, height) == found


@pytest.mark.parametrize("size", ["4x4", "4x5", "4x6", "5x4", "5x5", "7x6"])
def test_no_exact_number_exceeds_its_bound(size: str):
    width, height = map(int, size.split("x"))
    sequences, positions = bounds.sequences_by_ply(width, height), bounds.positions_by_ply(width, height)
    for ply, found, _, _, ways, *_ in FACTS["boards"][size]["plies"]:
        assert found <= positions[ply]
        assert ways <= sequences[ply]
        if ply < 7:  # nobody has won before: all orders are games
            assert ways == sequences[ply]
    totals = FACTS["boards"][size].get("totals")
    if totals is not None:
        assert totals["games"] <= bounds.games_by_fillings(width, height) < bounds.games_by_width(width, height)
    exact = published.positions(width, height, 4)
    assert exact is not None
    assert exact <= sum(positions) < bounds.positions_by_gravity(width, height) < 3 ** (width * height)


@pytest.mark.parametrize(("width", "height", "connect"), [(3, 2, 2), (2, 2, 2), (4, 3, 3), (3, 3, 3)])
def test_a_line_has_one_colour_as_often_as_in_all_fillings(width: int, height: int, connect: int):
    line = winning_lines(width, height, connect)[0]
    same = [len({board[cell] for cell in line}) == 1 for board in fillings(width, height)]
    assert bounds.line_in_one_colour(width * height, connect) == Fraction(sum(same), len(same))


def test_a_line_longer_than_a_colour_or_the_board_never_has_one_colour():
    assert bounds.line_in_one_colour(4, 3) == 0
    assert bounds.line_in_one_colour(4, 5) == 0
    assert bounds.draw_with_independent_lines(2, 2, 4) == 1.0 == bounds.draw_with_disjoint_lines(2, 2, 4)


@pytest.mark.parametrize(("width", "height", "connect"), [(3, 2, 2), (4, 3, 3), (3, 3, 3), (5, 2, 2), (3, 4, 3)])
def test_the_disjoint_lines_bound_the_draws_of_all_fillings(width: int, height: int, connect: int):
    lines = winning_lines(width, height, connect)
    chosen = bounds.disjoint_lines(width, height, connect)
    assert set(chosen) <= set(lines)
    assert len({cell for line in chosen for cell in line}) == connect * len(chosen)
    mixed = [[len({board[cell] for cell in line}) == 2 for line in lines] for board in fillings(width, height)]
    draws = np.array(mixed)
    own = draws[:, [lines.index(line) for line in chosen]].all(axis=1).mean()
    assert bounds.draw_with_disjoint_lines(width, height, connect) == pytest.approx(own, abs=1e-12)
    assert draws.all(axis=1).mean() <= own


def test_neighbours_in_a_column_differ_more_often_in_random_play_than_in_random_fillings():
    rng = np.random.default_rng(5)
    differ = []
    for _ in range(400):  # random play that goes on after a win until the board is full
        columns: list[list[int]] = [[] for _ in range(7)]
        for ply in range(42):
            columns[rng.choice([c for c in range(7) if len(columns[c]) < 6])].append(ply % 2)
        differ.append(np.mean([a != b for column in columns for a, b in itertools.pairwise(column)]))
    assert np.mean(differ) > 21 / 41 + 5.0 * np.std(differ) / 20.0


def test_a_board_without_width_is_one_sentence():
    for function in (bounds.games_by_width, bounds.games_by_fillings, bounds.positions_by_ply, bounds.sequences_by_ply):
        with pytest.raises(ValueError, match="width must be a whole number of at least 1; got 0"):
            function(0, 6)
