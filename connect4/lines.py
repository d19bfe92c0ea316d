"""Winning lines: every run of `connect` cells of a board, and how many run through each cell."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from numerics import checks

LARGEST = 64  # columns and rows of a board, and stones in a row
MOST_BITS = 128  # of a board: columns x (rows + 1), since kernels keep an empty bit on top of each column
Cell = tuple[int, int]  # row (0 on top), column


def winning_lines(width: int = 7, height: int = 6, connect: int = 4) -> tuple[tuple[Cell, ...], ...]:
    """Return every line of `connect` cells, each as (row, column) from left to right; row 0 is on top.

    Parameters
    ----------
    width, height, connect : int
        As in `connect4.Board`, with its limits.

    Raises
    ------
    ValueError
        A size out of range; the sentence names it.

    Examples
    --------
    >>> len(winning_lines(7, 6, 4)), len(winning_lines(3, 3, 3))
    (69, 8)
    """
    return _lines(
        checks.check_whole("width", width, 1, LARGEST),
        checks.check_whole("height", height, 1, LARGEST),
        checks.check_whole("connect", connect, 2, LARGEST),
    )


@functools.lru_cache(maxsize=16)
def _lines(width: int, height: int, connect: int) -> tuple[tuple[Cell, ...], ...]:
    lines = []
    for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1)):
        for row in range(height):
            for column in range(width):
                last_row, last_column = row + (connect - 1) * down, column + (connect - 1) * right
                if 0 <= last_row < height and last_column < width:
                    lines.append(tuple((row + step * down, column + step * right) for step in range(connect)))
    return tuple(lines)


def complete_rows(grid: npt.NDArray[np.int8], player: int, connect: int) -> list[tuple[Cell, ...]]:
    """Return the lines of a grid, row 0 on top, that hold stones of one player alone.

    Examples
    --------
    >>> complete_rows(np.array([[0, -1], [1, 1]]), 1, connect=2)
    [((1, 0), (1, 1))]
    """
    mine = {(int(row), int(column)) for row, column in np.argwhere(grid == player)}
    height, width = grid.shape
    return [line for line in winning_lines(width, height, connect) if mine.issuperset(line)]


def find_winning_quadruplets(width: int = 7, height: int = 6) -> list[tuple[Cell, ...]]:
    """Return all runs of four cells, each four pairs (row, column), row 0 on top.

    Examples
    --------
    >>> quadruplets = find_winning_quadruplets(7, 6)
    >>> len(quadruplets), quadruplets[0]
    (69, ((0, 0), (0, 1), (0, 2), (0, 3)))
    """
    return list(winning_lines(width, height, 4))


def lines_through_cells(width: int = 7, height: int = 6, connect: int = 4) -> npt.NDArray[np.int64]:
    """Return how many winning lines run through each cell, int64 of shape (height, width), row 0 on top.

    Examples
    --------
    >>> lines_through_cells()[2:4].tolist()
    [[5, 8, 11, 13, 11, 8, 5], [5, 8, 11, 13, 11, 8, 5]]
    """
    lines = winning_lines(width, height, connect)
    counts = np.zeros((height, width), dtype=np.int64)
    for line in lines:
        for cell in line:
            counts[cell] += 1
    return counts
