"""A table of Dots and Boxes, solved: the boxes that are still to win in every position.

The boxes won so far do not change the best move, so a position is its set of edges. Its value is the future boxes of
the side to move minus those of the other, under best play.
"""

from __future__ import annotations

import numpy as np

from mcts.games.kernels.dots_and_boxes import boxes
from numerics.kernels.elementary import popcount
from numerics.kernels.jit import kernel


@kernel("int64(int64, int64, int64, int64, int8[::1])")
def worth(edges, bit, tops, columns, table):
    """Return the worth of an edge, given that of every position with more edges."""
    after = edges | bit
    closed = popcount(boxes(edges, tops, columns) ^ boxes(after, tops, columns))
    return closed + table[after] if closed else -np.int64(table[after])


@kernel("void(int64, int64, int8[::1])")
def fill(tops, columns, table):
    """Write the worth of every position, those with more edges first."""
    table[-1] = 0
    for edges in range(table.size - 2, -1, -1):
        free, best = (table.size - 1) ^ edges, np.int64(-table.size)
        while free:
            bit = free & -free
            free ^= bit
            best = max(best, worth(edges, bit, tops, columns, table))
        table[edges] = best
