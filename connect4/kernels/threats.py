"""Threats on bitboards: winning cells, and the moves after which the other side cannot win at once."""

from __future__ import annotations

from connect4.kernels.bitboard import winning_cells
from numerics.kernels.jit import kernel


@kernel()
def gaps_that_win(stones, filled, board, stride, connect):
    """Return the empty cells that would complete a row of `stones`."""
    return winning_cells(stones, filled, board, stride, connect)


@kernel(inline=True)
def safe_moves(threats, filled, bottom, board):
    """Return the moves of a side after which the other, whose winning cells are `threats`, cannot win at once."""
    possible = (filled + bottom) & board
    forced = possible & threats
    if forced:
        possible = forced if forced & (forced - 1) == 0 else possible & 0
    return possible & ~(threats >> 1)
