"""Bounds of a position's score that follow-up play proves without a search, from the parity of cells only.

Victor Allis, "A knowledge-based approach of Connect-Four", 1988, chapter 3. Scores are those of `connect4.solver`.
"""

from __future__ import annotations

import numpy as np

from connect4.kernels.bitboard import connects
from numerics.kernels.jit import kernel
from numerics.kernels.words import count_bits, one_of


@kernel()
def _four(stones, stride, connect):
    """Return whether a row of `stones` is complete."""
    return connects(stones, stride, connect)


@kernel(inline=True)
def plies_to_win(cells, plies, score):
    """Return the plies from a board of so many stones to the winning stone that its score means, that stone included.

    A score counts pairs of plies; which of the two it is depends on whose turn it is.
    """
    left = cells + 2 - plies - 2 * abs(score)
    return left if (left & 1 == 1) == (score > 0) else left - 1


@kernel(inline=True)
def rows_of_the_last(bottom, stride):
    """Return the cells at an even distance from the top, which the side that fills the board's last cell gets."""
    rows, shift = bottom & 0, stride - 2
    while shift >= 0:
        rows |= bottom << shift
        shift -= 2
    return rows


@kernel()
def follow_up(mine, theirs, filled, plies, wins, danger, least, most, bottom, board, last_rows, stride, connect, cells):
    """Return tighter bounds of a score, from strategies that answer each stone in the same column.

    The side that would fill the last cell of the board, L, can always answer. In a column with an even number of empty
    cells it plays right above the other side's stone. In a column with an odd number it plays the lowest empty cell of
    another such column, which exists whenever L has to answer. So L gets `last_rows`, the rows at an even distance from
    the top, except for cells that can be played now. The other side, E, gets at most the rest.

        no four for E in E's stones and the rest        E cannot win
        and a four for L in L's stones and L's cells    L wins

    Suppose E has a winning cell t outside L's rows, and the cell below t is empty. E can avoid these two cells and
    those above. Without them E would fill the last cell, so that in the end L must play below t. L then gets

        other columns  E's rows, and cells of L's rows that can be played now
        below t        L's rows, including the cell right below t, and a cell of E's rows that can be played now

    and if that gives L no four, E wins, at the latest when everything else is full.
    """
    empty = board ^ filled
    playable = (filled + bottom) & board
    mover_is_last = (cells - plies) & 1 == 1
    early, late = (theirs, mine) if mover_is_last else (mine, theirs)
    most_early = np.int64(cells)
    least_early = np.int64(-cells)
    if not _four(early | (empty & ~last_rows) | playable, stride, connect):
        most_early = np.int64(-1) if _four(late | (empty & last_rows & ~playable), stride, connect) else np.int64(0)
    else:
        threats = (danger if mover_is_last else wins) & ~last_rows & ~playable
        column = (one_of(board) << (stride - 1)) - 1
        while threats:
            cell = threats & -threats
            threats ^= cell
            while column & cell == 0:
                column <<= stride
            below = cell >> 1
            left = column & -below
            under = column & empty & (below - 1)
            others = empty & ~column
            reached = (others & ~last_rows) | (others & playable) | (under & last_rows) | (under & playable) | below
            if not _four(late | reached, stride, connect):
                least_early = count_bits(left) // 2
                break
    if mover_is_last:
        return max(least, -most_early), min(most, -least_early)
    return max(least, least_early), min(most, most_early)
