"""The hooks of a game whose positions Python keeps: a state is the number of a position, and the address of a store.

Sides alternate in a search. Where the player who has moved is to move again, the other side passes in between.
"""

from __future__ import annotations

import numpy as np

from numerics.games import SIGNATURES, UNDECIDED
from numerics.kernels.addresses import call_back
from numerics.kernels.jit import kernel
from numerics.random import next_word

STORE, NUMBER, SIDE, PASSES, WORDS = range(5)  # of a state: SIDE is to move in the search, and PASSES if it is 1
PLAY, OUTCOME, PLAYOUT, COUNT, MOVES = range(5)  # what a store is asked
PASS = 2**15 - 1  # the move of a side that passes; others are below
PACKED = 4  # moves of 15 bits in an answer
BITS = 15
WHOLE = 2**52  # the result 1 of a playout
_MASK = 2**BITS - 1


@kernel()
def _ask(state, question, argument, side):
    """Return the answer of the store about the position; what the class raises ends the kernel."""
    return call_back(state[STORE], question, state[NUMBER], argument, side)


@kernel(SIGNATURES["legal"])
def legal(state, moves):
    """Write the moves of the position, or a pass."""
    if state[PASSES]:
        moves[0] = PASS
        return 1
    count, packed = _ask(state, COUNT, moves.size, 0), np.int64(0)
    for i in range(count):
        if i % PACKED == 0:
            packed = _ask(state, MOVES, i, 0)
        moves[i] = packed & _MASK
        packed >>= BITS
    return count


@kernel(SIGNATURES["play"])
def play(state, move):
    """Go on to the position after a move."""
    if state[PASSES]:
        state[PASSES] = 0
    else:
        after = _ask(state, PLAY, move, 0)
        state[NUMBER] = after >> 1
        state[PASSES] = (after & 1) == state[SIDE]  # the same player moves again
    state[SIDE] = 1 - state[SIDE]


@kernel(SIGNATURES["outcome"])
def outcome(state):
    """Return the outcome for the side that moved last."""
    if state[PASSES]:
        return UNDECIDED
    return _ask(state, OUTCOME, 0, 1 - state[SIDE]) - 1


@kernel(SIGNATURES["playout"])
def playout(state, rng, r):
    """Have the game played on, by a number that is drawn here."""
    return _ask(state, PLAYOUT, np.int64(next_word(rng, r) >> np.uint64(1)), state[SIDE]) / WHOLE
