"""Kernels on cells, for boards too large for a bitboard; the same hooks as `kernels.bitboard`, with the same draws.

A state is

    width, height, connect
    to_move    1 or -1.
    left       The number of empty cells.
    won        Whether a row is complete. Each move sets it, so that `outcome` need not search.
    heights    The stones of each column, `width` words.
    cells      1, -1 or 0, column by column from the bottom. Cell (column, row) is word column * height + row.
"""

from __future__ import annotations

import numpy as np

from numerics.games import DRAWN, SIGNATURES, UNDECIDED, WON
from numerics.kernels.arrays import empty
from numerics.kernels.jit import kernel
from numerics.random import next_word

WIDTH, HEIGHT, CONNECT, TO_MOVE, LEFT, IS_WON, HEAD = range(7)

_32 = np.uint64(32)


@kernel()
def completes_row(state, column, row, player):
    """Return whether a stone of `player` on a cell that is empty or already theirs lies in a row of `connect`."""
    width, height, connect = state[WIDTH], state[HEIGHT], state[CONNECT]
    cells = HEAD + width
    for direction in range(4):
        right, up = (0 if direction == 0 else 1), (1 if direction == 0 else direction - 2)
        length = 1
        for sign in (1, -1):
            c, r = column + sign * right, row + sign * up
            while 0 <= c < width and 0 <= r < height and state[cells + c * height + r] == player:
                length += 1
                c += sign * right
                r += sign * up
        if length >= connect:
            return True
    return False


@kernel()
def put(state, column):
    """Put a stone of the side to move on an open column."""
    width, height, player = state[WIDTH], state[HEIGHT], state[TO_MOVE]
    row = state[HEAD + column]
    state[HEAD + width + column * height + row] = player
    state[HEAD + column] = row + 1
    state[LEFT] -= 1
    state[TO_MOVE] = -player
    state[IS_WON] = completes_row(state, column, row, player)


@kernel(SIGNATURES["legal"])
def legal(state, moves):
    """Write the columns that are not full to the front of `moves`; return their number."""
    count = 0
    for column in range(state[WIDTH]):
        if state[HEAD + column] < state[HEIGHT]:
            moves[count] = column
            count += 1
    return count


@kernel(SIGNATURES["play"])
def play(state, move):
    """Put a stone of the side to move on column `move`."""
    put(state, move)


@kernel(SIGNATURES["outcome"])
def outcome(state):
    """Return the outcome for the side that made the last move."""
    if state[IS_WON]:
        return WON
    return DRAWN if state[LEFT] == 0 else UNDECIDED


@kernel()
def random_column(state, rng, r):
    """Draw columns until one is open."""
    width = np.uint64(state[WIDTH])
    while True:
        column = np.int64(((next_word(rng, r) >> _32) * width) >> _32)
        if state[HEAD + column] < state[HEIGHT]:
            return column


@kernel(SIGNATURES["playout"])
def uniform_playout(state, rng, r):
    """Play to the end, every open column with equal probability."""
    value = 1.0
    while True:
        put(state, random_column(state, rng, r))
        if state[IS_WON]:
            return value
        if state[LEFT] == 0:
            return 0.5
        value = 1.0 - value


@kernel()
def _winning_columns(state, player, winning):
    """Mark the open columns where a stone of `player` completes a row; return their number."""
    count = 0
    for column in range(state[WIDTH]):
        row = state[HEAD + column]
        winning[column] = row < state[HEIGHT] and completes_row(state, column, row, player)
        count += winning[column]
    return count


@kernel(SIGNATURES["playout"])
def biased_playout(state, rng, r):
    """Play to the end: win at once, else block an immediate win of the other side, else any open column."""
    value = 1.0
    winning = empty(state[WIDTH], np.int64)
    while True:
        player = state[TO_MOVE]
        if _winning_columns(state, player, winning) > 0:
            return value
        threats = _winning_columns(state, -player, winning)
        if threats == 1:
            column = 0
            while winning[column] == 0:
                column += 1
        else:
            column = random_column(state, rng, r)
            while threats > 0 and winning[column] == 0:
                column = random_column(state, rng, r)
        put(state, column)
        if state[LEFT] == 0:
            return 0.5
        value = 1.0 - value
