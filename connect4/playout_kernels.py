"""Kernels of whole random games with their records, on bitboards and on cells; the draws are those of the rollouts.

Both take a state of their board to begin every game from, its number of columns, one stream a game, and the record to
write: moves, int8[games, cells], which the caller has filled with -1, lengths and results.
"""

from __future__ import annotations

import numpy as np
from numba import int8, int64, uint64, void

from connect4 import cells
from connect4.bitboard import BOARD, CONNECT, FILLED, MINE, STRIDE, advance, connects
from numerics.jit import kernel

_RECORD = void(int64[::1], int64, uint64[:, ::1], int8[:, ::1], int64[::1], int8[::1])
_32 = np.uint64(32)


@kernel(_RECORD)
def record_on_bits(start, width, rng, moves, lengths, results):
    """Play one game a stream from a state of `connect4.bitboard` and write its record."""
    board, stride, connect = start[BOARD], start[STRIDE], start[CONNECT]
    columns, column_cells = np.uint64(width), (int64(1) << (stride - 1)) - 1
    for game in range(lengths.size):
        s0, s1, s2, s3 = rng[game, 0], rng[game, 1], rng[game, 2], rng[game, 3]
        mine, filled = start[MINE], start[FILLED]
        plies, winner = 0, 1
        while True:
            column, move = int64(0), int64(0)
            while move == 0:
                word, s0, s1, s2, s3 = advance(s0, s1, s2, s3)
                column = int64(((word >> _32) * columns) >> _32)
                shift = column * stride
                move = (filled + (int64(1) << shift)) & (column_cells << shift)
            mine |= move
            filled |= move
            moves[game, plies] = column
            plies += 1
            if connects(mine, stride, connect):
                break
            if filled == board:
                winner = 0
                break
            mine ^= filled
            winner = -winner
        lengths[game] = plies
        results[game] = winner
        rng[game, 0], rng[game, 1], rng[game, 2], rng[game, 3] = s0, s1, s2, s3


@kernel(_RECORD)
def record_on_cells(start, width, rng, moves, lengths, results):
    """Play one game a stream from a state of `connect4.cells` and write its record."""
    state = np.empty_like(start)
    for game in range(lengths.size):
        state[:] = start
        plies, winner = 0, 1
        while True:
            column = cells.random_column(state, rng, game)
            cells.put(state, column)
            moves[game, plies] = column
            plies += 1
            if state[cells.IS_WON]:
                break
            if state[cells.LEFT] == 0:
                winner = 0
                break
            winner = -winner
        lengths[game] = plies
        results[game] = winner
