"""UCT in C: `uct.c`, called with our search's random streams."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import numpy.typing as npt

from connect4 import Board
from connect4.kernels.bitboard import FILLED, MINE
from mcts.streams import streams_of
from numerics.random import Purpose

SOURCE = Path(__file__).with_name("uct.c")
EXACT = "-ffp-contract=off"  # for the compiler: a * b + c is rounded twice, as ours is
_COLUMNS = 7


def play(
    library: ctypes.CDLL, board: Board, simulations: int, c: float, seed: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Search a 7 x 6 position; return the visits and values of its columns, 0 where a column is full.

    Raises
    ------
    MemoryError
        The tree has no room.
    """
    state, streams = board.game.state, streams_of(seed, Purpose.TREE_SEARCH)
    visits, values = np.empty(_COLUMNS), np.empty(_COLUMNS)
    library.uct.restype = ctypes.c_int64
    nodes = library.uct(
        ctypes.c_uint64(int(state[MINE])),
        ctypes.c_uint64(int(state[FILLED])),
        ctypes.c_int64(simulations),
        ctypes.c_double(c),
        *(ctypes.c_void_p(array.ctypes.data) for array in (streams, visits, values)),
    )
    if nodes < 0:
        raise MemoryError(f"no room for a tree of {simulations} simulations")
    return visits, values
