"""Dots and Boxes, solved: a table of the boxes that are still to win in every position.

How many boxes each side has does not change what is best; so a position is its set of edges, and its worth the boxes
that the side to move will win from here, less those of the other, under best play of both.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from mcts.games.dots_and_boxes import ALL, COLUMNS, EDGES, MARGIN, TOPS, DotsAndBoxes, boxes
from numerics.kernels.bits import popcount
from numerics.kernels.jit import kernel

MOST_EDGES = 24  # of a table: 16 MB


@kernel("int64(int64, int64, int64, int64, int8[::1])")
def _worth(edges, bit, tops, columns, table):
    """Return the worth of an edge, given that of every position with more edges."""
    after = edges | bit
    closed = popcount(boxes(edges, tops, columns) ^ boxes(after, tops, columns))
    return closed + table[after] if closed else -np.int64(table[after])


@kernel("void(int64, int64, int8[::1])")
def _fill(tops, columns, table):
    """Write the worth of every position, those with more edges first."""
    table[-1] = 0
    for edges in range(table.size - 2, -1, -1):
        free, best = (table.size - 1) ^ edges, -np.int64(MOST_EDGES)
        while free:
            bit = free & -free
            free ^= bit
            best = max(best, _worth(edges, bit, tops, columns, table))
        table[edges] = best


@functools.lru_cache(maxsize=8)
def _table(tops: int, columns: int, edges: int) -> npt.NDArray[np.int8]:
    table = np.empty(1 << edges, np.int8)
    _fill(tops, columns, table)
    return table


def margins_of(board: DotsAndBoxes) -> list[int]:
    """Return, for each legal move, the boxes of the side to move less those of the other at the end.

    The first call for a size fills a table of all sets of edges: some seconds and 16 MB for 3 x 3.

    Parameters
    ----------
    board : DotsAndBoxes
        With at most 24 edges, so 3 x 3, 2 x 4, 1 x 7 and less; not changed.

    Raises
    ------
    ValueError
        A board with more edges.

    Examples
    --------
    >>> margins_of(DotsAndBoxes(2, 2))
    [2, 2, 2, 0, 2, 0, 0, 2, 0, 2, 2, 2]
    """
    words = board.game.state.tolist()
    edges = words[ALL].bit_count()
    if edges > MOST_EDGES:
        raise ValueError(f"board must have at most {MOST_EDGES} edges to be solved; got one of {edges}")
    table = _table(words[TOPS], words[COLUMNS], edges)
    return [
        words[MARGIN] + int(_worth(words[EDGES], 1 << move, words[TOPS], words[COLUMNS], table))
        for move in board.legal_moves()
    ]
