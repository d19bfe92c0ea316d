"""Threats on bitboards: winning cells, and the moves after which the other side cannot win at once."""

from __future__ import annotations

import numpy as np

from connect4.kernels.bitboard import winning_cells
from numerics.kernels.jit import kernel

_M1, _M2, _M4 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_H01 = np.uint64(0x0101010101010101)


@kernel(inline=True)
def popcount(bits):
    """Return the number of set bits (compilers turn this idiom into one instruction)."""
    x = np.uint64(bits)
    x = x - ((x >> np.uint64(1)) & _M1)
    x = (x & _M2) + ((x >> np.uint64(2)) & _M2)
    x = (x + (x >> np.uint64(4))) & _M4
    return np.int64((x * _H01) >> np.uint64(56))


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
        possible = forced if forced & (forced - 1) == 0 else np.int64(0)
    return possible & ~(threats >> 1)
