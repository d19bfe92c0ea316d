"""Hex of size 2 to 8: player 1 connects the top with the bottom, player -1 the left side with the right.

A rhombus of cells, as bits row after row from the top. A cell touches those beside it, two above (the same column and
the next) and two below (the same column and the one before). There is no draw, and no swap. A move is a cell; so is
OpenSpiel's.
"""

from __future__ import annotations

import numpy as np

from mcts.games.kernels.bits import place_of, shift
from numerics.games import SIGNATURES, UNDECIDED, WON
from numerics.kernels.elementary import popcount
from numerics.kernels.jit import kernel
from numerics.random import next_word

# A state: stones of the side to move, of the other, the side to move (1 or -1), and of the board: its size, the cells
# of column 0, and all cells.
MINE, THEIRS, TO_MOVE, SIZE, LEFT, CELLS = range(6)
LARGEST = 8
_32 = np.uint64(32)


@kernel(inline=True)
def neighbours(cells, size, left):
    """Return the cells that touch some, on the board or below it."""
    not_left, not_right = cells & ~left, cells & ~shift(left, size - 1)
    beside = shift(not_left, -1) | shift(not_right, 1)
    return beside | shift(cells, size) | shift(cells, -size) | shift(not_left, size - 1) | shift(not_right, 1 - size)


@kernel(inline=True)
def sides(player, size, left):
    """Return the cells along the two sides that a player connects."""
    top = (np.int64(1) << size) - 1
    if player > 0:
        return top, shift(top, size * (size - 1))
    return left, shift(left, size - 1)


@kernel(inline=True)
def spread(group, stones, size, left):
    """Return the stones that are connected with some of them."""
    while True:
        larger = group | (neighbours(group, size, left) & stones)
        if larger == group:
            return group
        group = larger


@kernel(inline=True)
def connects(stones, player, size, left):
    """Return whether the stones of a player connect its sides."""
    one, other = sides(player, size, left)
    return spread(stones & one, stones, size, left) & other != 0


@kernel(SIGNATURES["legal"])
def legal(state, moves):
    """Write the empty cells, in increasing order."""
    count, empty = 0, state[CELLS] & ~(state[MINE] | state[THEIRS])
    while empty:
        cell = empty & -empty
        empty ^= cell
        moves[count] = place_of(cell)
        count += 1
    return count


@kernel(SIGNATURES["play"])
def play(state, move):
    """Put a stone of the side to move on a cell."""
    mine = state[MINE] | (np.int64(1) << move)
    state[MINE] = state[THEIRS]
    state[THEIRS] = mine
    state[TO_MOVE] = -state[TO_MOVE]


@kernel(SIGNATURES["outcome"])
def outcome(state):
    """Return the outcome for the side that moved last."""
    return WON if connects(state[THEIRS], -state[TO_MOVE], state[SIZE], state[LEFT]) else UNDECIDED


@kernel(SIGNATURES["playout"])
def uniform_playout(state, rng, r):
    """Fill the board at random, which has the winner of a game of moves with equal probability (up to 2^-26)."""
    mine, empty = state[MINE], state[CELLS] & ~(state[MINE] | state[THEIRS])
    left = popcount(empty)
    wanted = (left + 1) // 2  # stones of the side to move
    while 0 < wanted < left:
        cell = empty & -empty
        empty ^= cell
        if np.int64(((next_word(rng, r) >> _32) * np.uint64(left)) >> _32) < wanted:
            mine |= cell
            wanted -= 1
        left -= 1
    if wanted > 0:
        mine |= empty
    return 1.0 if connects(mine, state[TO_MOVE], state[SIZE], state[LEFT]) else 0.0
