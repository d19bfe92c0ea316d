"""Dots and Boxes of any size up to 63 edges: who closes a box owns it and moves again; most boxes win.

An edge is a bit, row after row of boxes, each with its upper edges before its upright ones (2 x 2):

    + 0 + 1 +
    2   3   4        stride = 2 columns + 1 edges from a box to the one below it
    + 5 + 6 +
    7   8   9        the box whose upper edge is bit b has the others at b + columns, b + columns + 1 and b + stride
    + 10+ 11+

Sides alternate in a search. After a side has closed a box, the other passes, by the move with the number of edges.
OpenSpiel numbers all level edges first, row by row, then all upright ones: `open_spiel_action` has its number of ours.
"""

from __future__ import annotations

import numpy as np

from mcts.games.kernels.bits import nth_bit, place_of
from numerics.games import DRAWN, LOST, SIGNATURES, UNDECIDED, WON
from numerics.kernels.elementary import popcount
from numerics.kernels.jit import kernel
from numerics.random import next_word

# A state: the edges that are drawn, boxes of the side to move less those of the other, whether the side to move passes,
# the side to move, the upper edges of all boxes, all edges, and the columns.
EDGES, MARGIN, PASSES, TO_MOVE, TOPS, ALL, COLUMNS = range(7)
MOST_EDGES = 63
_32 = np.uint64(32)


@kernel(inline=True)
def boxes(edges, tops, columns):
    """Return the upper edges of the boxes that are closed."""
    return edges & (edges >> columns) & (edges >> (columns + 1)) & (edges >> (2 * columns + 1)) & tops


@kernel(SIGNATURES["legal"])
def legal(state, moves):
    """Write the edges that are not drawn, or the pass."""
    if state[PASSES]:
        moves[0] = popcount(state[ALL])
        return 1
    count, free = 0, state[ALL] ^ state[EDGES]
    while free:
        bit = free & -free
        moves[count] = place_of(bit)
        count += 1
        free ^= bit
    return count


@kernel(SIGNATURES["play"])
def play(state, move):
    """Draw an edge, or pass."""
    if state[PASSES]:
        state[PASSES] = 0
    else:
        edges = state[EDGES]
        after = edges | (np.int64(1) << move)
        closed = boxes(edges, state[TOPS], state[COLUMNS]) ^ boxes(after, state[TOPS], state[COLUMNS])
        state[EDGES] = after
        state[MARGIN] += popcount(closed)
        state[PASSES] = closed != 0 and after != state[ALL]
    state[MARGIN] = -state[MARGIN]
    state[TO_MOVE] = -state[TO_MOVE]


@kernel(SIGNATURES["outcome"])
def outcome(state):
    """Return the outcome for the side that moved last: whoever has more boxes once all edges are drawn."""
    if state[EDGES] != state[ALL]:
        return UNDECIDED
    return WON if state[MARGIN] < 0 else LOST if state[MARGIN] > 0 else DRAWN


@kernel(SIGNATURES["playout"])
def uniform_playout(state, rng, r):
    """Play to the end, every edge with equal probability (up to 2^-26)."""
    tops, columns = state[TOPS], state[COLUMNS]
    edges, margin = state[EDGES], state[MARGIN]
    free, side = state[ALL] ^ edges, 1 - 2 * state[PASSES]
    closed = boxes(edges, tops, columns)
    for left in range(popcount(free), 0, -1):
        bit = nth_bit(free, np.int64(((next_word(rng, r) >> _32) * np.uint64(left)) >> _32))
        free ^= bit
        edges |= bit
        now = boxes(edges, tops, columns)
        if now != closed:
            margin += side * popcount(now ^ closed)
            closed = now
        else:
            side = -side
    return 1.0 if margin > 0 else 0.0 if margin < 0 else 0.5
