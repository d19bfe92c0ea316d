r"""Kernels on bitboards, for boards with (height + 1) * width <= 64; their wide forms, for <= 128.

A board has one bit per cell, column by column. On top of each column is a bit that stays empty, so that no line runs
from one column into the next (7 x 6):

     6 13 20 27 34 41 48      <- always empty
     5 12 19 26 33 40 47
     4 11 18 25 32 39 46      stride = height + 1 = 7 bits a column
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44      up = 1, right = stride,
     1  8 15 22 29 36 43      diagonals = stride - 1 and stride + 1
     0  7 14 21 28 35 42

    filled + bottom      carries a bit into the lowest empty cell of every column at once
    stones & (stones >> step) & (stones >> 2 step) & ...   is not 0 if `connect` stones lie in a row

Bitboards are signed and never negative, because the topmost bit belongs to the empty row. A state is six of them, of
one word each, or of two (see `numerics.kernels.words`):

    mine     The stones of the side to move.
    filled   The stones of both sides.
    bottom   The lowest cell of every column.
    board    Every cell.
    stride   The height + 1.
    connect  The number of stones in a row that win. It is negative if such a row does not fit in every direction.
             Kernels then take the general code instead of the fast code for 4.

Layout: John Tromp's Fhourstones; Pascal Pons explains it in "Solving Connect 4", part 6.
"""

from __future__ import annotations

import numpy as np

from numerics.games import DRAWN, SIGNATURES, UNDECIDED, WON
from numerics.kernels.jit import kernel
from numerics.kernels.words import as_int, bitboards_of, one_of, size_of
from numerics.random import advance

MINE, FILLED, BOTTOM, BOARD, STRIDE, CONNECT = range(6)
BITBOARDS = 6

_32 = np.uint64(32)


@kernel(inline=True)
def shift_down(stones, shift):
    """Shift to the right, also by all bits or more, where the machine's shift is undefined."""
    return stones >> shift if shift < size_of(stones) else stones & 0


@kernel(inline=True)
def _shift_up(stones, shift):
    """Shift to the left, also by all bits or more."""
    return stones << shift if shift < size_of(stones) else stones & 0


@kernel(inline=True)
def in_a_row(stones, step, connect):
    """Return the cells, as bits, at which `connect` stones in a row begin in the direction of `step`."""
    if connect == 4:
        pairs = stones & (stones >> step)
        return pairs & (pairs >> (2 * step))
    wanted, starts, length = abs(connect), stones, 1
    while 2 * length <= wanted:  # runs of 1, 2, 4, ... stones
        starts &= shift_down(starts, length * step)
        length *= 2
    if length < wanted:
        starts &= shift_down(starts, (wanted - length) * step)
    return starts


@kernel(inline=True)
def connects(stones, stride, connect):
    """Return whether `connect` stones lie in a row."""
    return (
        in_a_row(stones, 1, connect)
        | in_a_row(stones, stride, connect)
        | in_a_row(stones, stride - 1, connect)
        | in_a_row(stones, stride + 1, connect)
    ) != 0


@kernel(inline=True)
def completing_cells(stones, step, connect):
    """Return the cells that complete a row in one direction: the gaps of windows whose other cells are all stones."""
    if connect == 4:
        # Bits go down by `step` at a shift to the right. Windows, lowest cell first: .xxx  x.xx  xx.x  xxx.
        below, above = stones << step, stones >> step
        pair_below, pair_above = below & (below << step), above & (above >> step)
        return (
            (pair_below & (below << (2 * step)))
            | (pair_below & above)
            | (below & pair_above)
            | (pair_above & (above >> (2 * step)))
        )
    wanted, cells = abs(connect), stones & 0
    for gap in range(wanted):
        window = ~(stones & 0)
        for offset in range(wanted):
            if offset < gap:
                window &= _shift_up(stones, (gap - offset) * step)
            elif offset > gap:
                window &= shift_down(stones, (offset - gap) * step)
        cells |= window
    return cells


@kernel(inline=True)
def winning_cells(stones, filled, board, stride, connect):
    """Return the empty cells, playable or not, that would complete a row of `stones`."""
    cells = (
        completing_cells(stones, stride, connect)
        | completing_cells(stones, stride - 1, connect)
        | completing_cells(stones, stride + 1, connect)
    )
    if connect == 4:
        cells |= (stones << 1) & (stones << 2) & (stones << 3)  # a column grows at its top only
    else:
        cells |= completing_cells(stones, 1, connect)
    return cells & (board ^ filled)


@kernel(SIGNATURES["legal"])
def legal(state, moves):
    """Write the columns that are not full to the front of `moves`; return their number."""
    bits = bitboards_of(state)
    stride, open_cells = as_int(bits[STRIDE]), (bits[FILLED] + bits[BOTTOM]) & bits[BOARD]
    column_cells = (one_of(open_cells) << (stride - 1)) - 1
    count = 0
    column = 0
    while open_cells != 0:
        if open_cells & column_cells:
            moves[count] = column
            count += 1
        open_cells = shift_down(open_cells, stride)  # of a single column it may be all
        column += 1
    return count


@kernel(SIGNATURES["play"])
def play_move(state, move):
    """Put a stone of the side to move on column `move`."""
    bits = bitboards_of(state)
    mine, filled, stride = bits[MINE], bits[FILLED], as_int(bits[STRIDE])
    bits[MINE] = mine ^ filled
    bits[FILLED] = filled | (filled + (one_of(filled) << (move * stride)))


@kernel(SIGNATURES["outcome"])
def outcome(state):
    """Return the outcome for the side that made the last move."""
    bits = bitboards_of(state)
    if connects(bits[MINE] ^ bits[FILLED], as_int(bits[STRIDE]), as_int(bits[CONNECT])):
        return WON
    return DRAWN if bits[FILLED] == bits[BOARD] else UNDECIDED


@kernel(inline=True)
def columns_of(bottom):
    """Return the number of columns of a board with these lowest cells."""
    count = 0
    while bottom != 0:
        bottom &= bottom - 1
        count += 1
    return count


@kernel(inline=True)
def draw_cell(cells, width, stride, s0, s1, s2, s3):
    """Return one of the playable `cells` at random, and the stream after it: draw columns until one has such a cell."""
    move, column_cells = cells & 0, (one_of(cells) << (stride - 1)) - 1
    while move == 0:
        word, s0, s1, s2, s3 = advance(s0, s1, s2, s3)
        move = cells & (column_cells << (np.int64(((word >> _32) * width) >> _32) * stride))
    return move, s0, s1, s2, s3


@kernel(SIGNATURES["playout"])
def uniform_playout(state, rng, r):
    """Play to the end, every open column with equal probability (up to 2^-29): draw columns until one is open."""
    s0, s1, s2, s3 = rng[r, 0], rng[r, 1], rng[r, 2], rng[r, 3]
    bits = bitboards_of(state)
    mine, filled, board = bits[MINE], bits[FILLED], bits[BOARD]
    stride, connect = as_int(bits[STRIDE]), as_int(bits[CONNECT])
    width, column_cells = np.uint64(columns_of(bits[BOTTOM])), (one_of(board) << (stride - 1)) - 1
    value = 1.0
    while True:
        move = board & 0
        while move == 0:
            word, s0, s1, s2, s3 = advance(s0, s1, s2, s3)
            shift = np.int64(((word >> _32) * width) >> _32) * stride
            move = (filled + (one_of(board) << shift)) & (column_cells << shift)
        mine |= move
        filled |= move
        if connects(mine, stride, connect):
            break
        if filled == board:
            value = 0.5
            break
        mine ^= filled
        value = 1.0 - value
    rng[r, 0], rng[r, 1], rng[r, 2], rng[r, 3] = s0, s1, s2, s3
    return value


@kernel(SIGNATURES["playout"])
def biased_playout(state, rng, r):
    """Play to the end: win at once, else block an immediate win of the other side, else any open column.

    It keeps the winning cells of both sides; a move changes those of the side that made it only.
    """
    s0, s1, s2, s3 = rng[r, 0], rng[r, 1], rng[r, 2], rng[r, 3]
    bits = bitboards_of(state)
    mine, filled, board, bottom = bits[MINE], bits[FILLED], bits[BOARD], bits[BOTTOM]
    stride, connect = as_int(bits[STRIDE]), as_int(bits[CONNECT])
    width = np.uint64(columns_of(bottom))
    wins = winning_cells(mine, filled, board, stride, connect)
    threats = winning_cells(mine ^ filled, filled, board, stride, connect)
    value = 1.0
    while True:
        playable = (filled + bottom) & board
        if playable & wins:
            break
        move = playable & threats
        if move == 0:
            move, s0, s1, s2, s3 = draw_cell(playable, width, stride, s0, s1, s2, s3)
        elif move & (move - 1):  # two threats: one of them at random, though the game is lost
            move, s0, s1, s2, s3 = draw_cell(move, width, stride, s0, s1, s2, s3)
        mine |= move
        filled |= move
        if filled == board:
            value = 0.5
            break
        wins = winning_cells(mine, filled, board, stride, connect)
        wins, threats = threats, wins
        mine ^= filled
        value = 1.0 - value
    rng[r, 0], rng[r, 1], rng[r, 2], rng[r, 3] = s0, s1, s2, s3
    return value
