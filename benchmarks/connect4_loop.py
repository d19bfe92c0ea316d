"""Our playouts, one after the other on one stream, from a position: the call that a search makes, and no more."""

from __future__ import annotations

import numpy as np

from connect4 import Board
from numerics.games import SIGNATURES, Playout
from numerics.kernels.jit import kernel
from numerics.random import Purpose, streams


@kernel(f"float64(FunctionType({SIGNATURES['playout']}), int64[::1], uint64[:, ::1], int64)")
def _sum(playout, state, rng, count):
    """Play `count` playouts through a hook, each on a copy of the state; return the sum of their values."""
    copy, total = np.empty_like(state), 0.0
    for _ in range(count):
        copy[:] = state
        total += playout(copy, rng, 0)
    return total


def play(hook: Playout, board: Board, count: int, seed: int = 0) -> tuple[float, np.ndarray]:
    """Return the sum of the values of `count` playouts for the side to move, and the stream's state after them."""
    rng = streams(seed, (Purpose.BENCHMARK,), 0, 1)
    return float(_sum(hook, board.game.state, rng, count)), rng
