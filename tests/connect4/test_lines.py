"""Lines that win: as many as counting says, each straight and whole, and the weights of document 001."""

from __future__ import annotations

import itertools

import pytest

from connect4 import find_winning_quadruplets, lines_through_cells, winning_lines
from tests.refusals import refused

SIZES = [(7, 6, 4), (6, 7, 4), (4, 4, 4), (3, 9, 4), (9, 3, 4), (3, 3, 4), (5, 5, 3), (8, 8, 5), (2, 2, 2), (1, 9, 3)]


def test_a_board_of_7_by_6_has_the_69_quadruplets_of_document_000():
    quadruplets = find_winning_quadruplets(7, 6)
    assert len(quadruplets) == len(set(quadruplets)) == 69
    assert {len(line) for line in quadruplets} == {4}
    assert ((0, 0), (0, 1), (0, 2), (0, 3)) in quadruplets, "the document's first two"
    assert ((0, 1), (0, 2), (0, 3), (0, 4)) in quadruplets
    assert ((2, 3), (3, 2), (4, 1), (5, 0)) in [tuple(sorted(line)) for line in quadruplets], (
        "and no diagonal forgotten"
    )
    assert find_winning_quadruplets() == quadruplets


@pytest.mark.parametrize(("width", "height", "connect"), SIZES)
def test_lines_are_the_runs_of_cells_in_one_direction_and_all_of_them(width: int, height: int, connect: int):
    across, up = max(0, width - connect + 1), max(0, height - connect + 1)
    lines = winning_lines(width, height, connect)
    assert len(lines) == len({frozenset(line) for line in lines}) == across * height + up * width + 2 * across * up
    for line in lines:
        steps = {(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(line)}
        assert len(line) == connect
        assert len(steps) == 1
        assert steps <= {(0, 1), (1, 0), (1, 1), (-1, 1)}
        assert all(0 <= row < height and 0 <= column < width for row, column in line)


@pytest.mark.parametrize(("width", "height", "connect"), SIZES)
def test_every_cell_counts_the_lines_through_it(width: int, height: int, connect: int):
    counts, lines = lines_through_cells(width, height, connect), winning_lines(width, height, connect)
    assert counts.shape == (height, width)
    for row in range(height):
        for column in range(width):
            assert counts[row, column] == sum((row, column) in line for line in lines)
    assert counts.sum() == connect * len(lines)


def test_the_lines_through_each_cell_are_the_weights_of_document_001():
    upper = [[3, 4, 5, 7, 5, 4, 3], [4, 6, 8, 10, 8, 6, 4], [5, 8, 11, 13, 11, 8, 5]]
    assert lines_through_cells().tolist() == upper + upper[::-1]


@pytest.mark.parametrize("value", [0, -3, 65, 6.0, "7", None, True])
def test_sizes_that_are_no_board_have_no_lines(value: object):
    refused(lambda: find_winning_quadruplets(value, 6), "width", f"got {value!r}")
    refused(lambda: find_winning_quadruplets(7, value), "height", f"got {value!r}")
    refused(lambda: winning_lines(7, 6, value), "connect", f"got {value!r}")
    refused(lambda: lines_through_cells(7, value), "height", f"got {value!r}")
