"""Our playouts, one after the other on one stream, from a position: the call that a search makes, and no more."""

from __future__ import annotations

import numpy as np
from numba import float64, int64, types, uint64

from connect4 import Board
from numerics.game import Hook, signatures
from numerics.jit import COMPILED, kernel
from numerics.random import streams

PLAYOUT = 250  # the purpose of the benchmark's stream

_HOOK = types.FunctionType(signatures()["rollout"]) if COMPILED else None


@kernel(float64(_HOOK, int64[::1], uint64[:, ::1], int64))
def _sum(rollout, state, rng, count):
    """Play `count` playouts through a hook, each on a copy of the state; return the sum of their values."""
    own, total = np.empty_like(state), 0.0
    for _ in range(count):
        own[:] = state
        total += rollout(own, rng, 0)
    return total


def play(hook: Hook, board: Board, count: int, seed: int = 0) -> tuple[float, np.ndarray]:
    """Return the sum of the values of `count` playouts for the side to move, and the stream's state after them."""
    rng = streams(seed, (PLAYOUT,), 0, 1)
    return float(_sum(hook, board.game.state, rng, count)), rng
