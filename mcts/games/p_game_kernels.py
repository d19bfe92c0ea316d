"""Kernels of P-games. A state is: word (of the path), left (moves to play), branching, sum, to_move (1 or -1)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from numerics.games import DRAWN, LOST, SIGNATURES, UNDECIDED, WON
from numerics.kernels.jit import kernel
from numerics.random import GOLDEN, finalised, next_word

WORD, LEFT, BRANCHING, SUM, TO_MOVE = range(5)

_32 = np.uint64(32)


@kernel()
def child(word, move):
    """Return the word of the path that goes on with a move: the splitmix64 finaliser."""
    return np.int64(finalised(np.uint64(word) + np.uint64(move + 1) * GOLDEN))


@kernel(SIGNATURES["legal"])
def legal(state, moves):
    """Write every move; return their number."""
    for move in range(state[BRANCHING]):
        moves[move] = move
    return state[BRANCHING]


@kernel(SIGNATURES["play"])
def play(state, move):
    """Add the move's worth, 0 ... 127 for the side that makes it."""
    state[WORD] = child(state[WORD], move)
    state[SUM] += state[TO_MOVE] * (state[WORD] & 127)
    state[TO_MOVE] = -state[TO_MOVE]
    state[LEFT] -= 1


@kernel(SIGNATURES["outcome"])
def outcome(state):
    """Return the outcome for the side that moved last, given by the sum once no move is left."""
    if state[LEFT] > 0:
        return UNDECIDED
    total = -state[TO_MOVE] * state[SUM]
    return WON if total > 0 else LOST if total < 0 else DRAWN


@kernel(SIGNATURES["playout"])
def uniform_playout(state, rng, r):
    """Play to the end with uniformly random moves."""
    mover, branching = state[TO_MOVE], np.uint64(state[BRANCHING])
    while state[LEFT] > 0:
        play(state, np.int64(((next_word(rng, r) >> _32) * branching) >> _32))
    total = mover * state[SUM]
    return 1.0 if total > 0 else 0.0 if total < 0 else 0.5


@kernel("int64(int64, int64, int64, int64, int64, int64, int64)")
def _best(word, left, branching, total, to_move, low, high):
    """Return the sum for the side to move under best play, exact between low and high (alpha-beta)."""
    if left == 0:
        return to_move * total
    for move in range(branching):
        word_after = child(word, move)
        total_after = total + to_move * (word_after & 127)
        low = max(low, -_best(word_after, left - 1, branching, total_after, -to_move, -high, -low))
        if low >= high:
            break
    return low


@kernel("float64[::1](int64[::1])")
def root_values(root: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the value of each move of a state for the side to move: 1, 1/2 or 0."""
    branching, to_move = root[BRANCHING], root[TO_MOVE]
    values = np.empty(branching)
    for move in range(branching):
        word = child(root[WORD], move)
        total = root[SUM] + to_move * (word & 127)
        best = -_best(word, root[LEFT] - 1, branching, total, -to_move, -1, 1)
        values[move] = 0.5 + 0.5 * min(max(best, -1), 1)
    return values
