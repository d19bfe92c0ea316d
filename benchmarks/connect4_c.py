"""Uniform playouts in C: `playouts.c`, called with our kernel's random stream."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np

from connect4 import Board
from connect4.kernels.bitboard import BOARD, FILLED, MINE
from numerics.random import Purpose, streams

SOURCE = Path(__file__).with_name("playouts.c")


class _Position(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_uint64) for name in ("mine", "filled", "board")),
        *((name, ctypes.c_int64) for name in ("width", "stride")),
    )


def play(library: ctypes.CDLL, variant: str, board: Board, count: int, seed: int = 0) -> tuple[float, np.ndarray]:
    """Play with `variant`, "twin" or "constants" (7 x 6 only); return the sum of values and the stream's last state."""
    state, rng = board.game.state, streams(seed, (Purpose.BENCHMARK,), 0, 1)
    position = _Position(*(int(state[word]) for word in (MINE, FILLED, BOARD)), board.width, board.height + 1)
    function = getattr(library, variant)
    function.restype = ctypes.c_double
    return function(ctypes.byref(position), ctypes.c_void_p(rng.ctypes.data), ctypes.c_int64(count)), rng
