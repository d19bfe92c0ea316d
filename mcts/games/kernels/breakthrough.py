"""Breakthrough of any size up to 64 cells: pieces go forward, straight or diagonally, and capture diagonally.

Who first brings a piece to the last row, or captures all pieces, wins. Player 1 begins, on top, and moves down. Cells
are bits, row after row from the top. Dan Troyka invented the game in 2000; it is played on 8 x 8.

A move is 3 * cell + direction: 0 toward column 0, 1 straight, 2 toward the last column. OpenSpiel's number of the same
move is 2 * (6 * cell + direction + 3 * (the mover is player -1)) + (it captures).
"""

from __future__ import annotations

import numpy as np

from mcts.games.kernels.bits import nth_bit, place_of, shift
from numerics.games import SIGNATURES, UNDECIDED, WON
from numerics.kernels.elementary import popcount
from numerics.kernels.jit import kernel
from numerics.random import next_word

# A state: pieces of the side to move, of the other, the side to move (1 or -1), and of the board: rows, columns, the
# cells of column 0, and all cells.
MINE, THEIRS, TO_MOVE, ROWS, COLUMNS, LEFT, CELLS = range(7)
MOST_CELLS = 64
_32 = np.uint64(32)


@kernel(inline=True)
def targets(mine, theirs, step, columns, left, cells):
    """Return where pieces can go: toward column 0, straight, and toward the last column; `step` is the side to move."""
    ahead = step * columns
    straight = shift(mine, ahead) & cells & ~(mine | theirs)
    to_left = shift(mine & ~left, ahead - 1) & cells & ~mine
    to_right = shift(mine & ~shift(left, columns - 1), ahead + 1) & cells & ~mine
    return to_left, straight, to_right


@kernel(inline=True)
def last_row(step, rows, columns):
    """Return the cells where a side wins."""
    top = (np.int64(1) << columns) - 1
    return shift(top, (rows - 1) * columns) if step > 0 else top


@kernel(SIGNATURES["legal"])
def legal(state, moves):
    """Write the legal moves, in increasing order."""
    step, columns, pieces = state[TO_MOVE], state[COLUMNS], state[MINE]
    to_left, straight, to_right = targets(pieces, state[THEIRS], step, columns, state[LEFT], state[CELLS])
    count, ahead = 0, step * columns
    while pieces:
        piece = pieces & -pieces
        pieces ^= piece
        move = 3 * place_of(piece)
        if shift(piece & ~state[LEFT], ahead - 1) & to_left:
            moves[count] = move
            count += 1
        if shift(piece, ahead) & straight:
            moves[count] = move + 1
            count += 1
        if shift(piece & ~shift(state[LEFT], columns - 1), ahead + 1) & to_right:
            moves[count] = move + 2
            count += 1
    return count


@kernel(SIGNATURES["play"])
def play(state, move):
    """Move a piece, and capture what stands there."""
    step, piece = state[TO_MOVE], np.int64(1) << (move // 3)
    target = shift(piece, step * state[COLUMNS] + move % 3 - 1)
    mine = state[MINE] ^ (piece | target)
    state[MINE] = state[THEIRS] & ~target
    state[THEIRS] = mine
    state[TO_MOVE] = -step


@kernel(SIGNATURES["outcome"])
def outcome(state):
    """Return the outcome for the side that moved last."""
    if state[MINE] == 0 or state[THEIRS] & last_row(-state[TO_MOVE], state[ROWS], state[COLUMNS]):
        return WON
    return UNDECIDED


@kernel(SIGNATURES["playout"])
def uniform_playout(state, rng, r):
    """Play to the end, every legal move with equal probability (up to 2^-25)."""
    mine, theirs, step, columns = state[MINE], state[THEIRS], state[TO_MOVE], state[COLUMNS]
    left, cells = state[LEFT], state[CELLS]
    goal, other_goal = last_row(step, state[ROWS], columns), last_row(-step, state[ROWS], columns)
    value = 1.0
    while True:
        to_left, straight, to_right = targets(mine, theirs, step, columns, left, cells)
        lefts, ahead = popcount(to_left), popcount(straight)
        count = np.uint64(lefts + ahead + popcount(to_right))
        k = np.int64(((next_word(rng, r) >> _32) * count) >> _32)
        if k < lefts:
            target, aside = nth_bit(to_left, k), -1
        elif k < lefts + ahead:
            target, aside = nth_bit(straight, k - lefts), 0
        else:
            target, aside = nth_bit(to_right, k - lefts - ahead), 1
        mine ^= target | shift(target, -(step * columns + aside))
        theirs &= ~target
        if target & goal or theirs == 0:
            return value
        mine, theirs, goal, other_goal, step = theirs, mine, other_goal, goal, -step
        value = 1.0 - value
