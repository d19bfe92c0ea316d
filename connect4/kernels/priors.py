"""Priors of columns before any search: the winning lines through the cell where the stone would land."""

from __future__ import annotations

from connect4.kernels.bitboard import BOTTOM, CONNECT, FILLED, STRIDE, columns_of
from numerics.games import SIGNATURES
from numerics.kernels.jit import kernel
from numerics.kernels.words import as_int, bitboards_of


@kernel()
def lines_through(column, row, width, height, connect):
    """Return how many rows of `connect` cells of the board hold a cell, in all directions."""
    total = 0
    for direction in range(4):
        room = 0  # free steps in this direction, forwards and backwards, at most connect - 1 each
        if direction == 0:
            room = min(row, connect - 1) + min(height - 1 - row, connect - 1)
        elif direction == 1:
            room = min(column, connect - 1) + min(width - 1 - column, connect - 1)
        elif direction == 2:
            room = min(column, row, connect - 1) + min(width - 1 - column, height - 1 - row, connect - 1)
        else:
            room = min(column, height - 1 - row, connect - 1) + min(width - 1 - column, row, connect - 1)
        total += max(0, room + 2 - connect)
    return total


@kernel()
def _share_out(out):
    """Normalise counts to sum 1; equal shares if there are no lines."""
    total = 0.0
    for i in range(out.size):
        total += out[i]
    for i in range(out.size):
        out[i] = out[i] / total if total > 0.0 else 1.0 / out.size


@kernel(SIGNATURES["prior"])
def lines(state, moves, out):
    """Write each column's share of the lines."""
    bits = bitboards_of(state)
    stride, filled, width = as_int(bits[STRIDE]), bits[FILLED], columns_of(bits[BOTTOM])
    for i in range(moves.size):
        row = 0
        while (filled >> (moves[i] * stride + row)) & 1:
            row += 1
        out[i] = lines_through(moves[i], row, width, stride - 1, abs(as_int(bits[CONNECT])))
    _share_out(out)
