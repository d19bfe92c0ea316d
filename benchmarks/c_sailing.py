"""UCT on sailing in C: `sailing.c`, called with our search's random streams."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mcts.processes.sailing import Sailing
from numerics.random import Purpose, streams

SOURCE = Path(__file__).with_name("sailing.c")
EXACT = "-ffp-contract=off"  # for the compiler: a * b + c is rounded twice, as ours is
STEPS = 1_000  # of a simulation, at most
_LEGS, _STREAMS = 8, 4


def search(
    library: ctypes.CDLL, lake: Sailing, simulations: int, c: float, seed: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], int]:
    """Search a lake; return visits and values of the legs, 0 of an impossible one, and the simulated steps.

    Raises
    ------
    MemoryError
        The tree has no room.
    """
    root, rng = lake.process.state, streams(seed, (Purpose.TREE_SEARCH,), 0, _STREAMS)
    visits, values = np.empty(_LEGS), np.empty(_LEGS)
    library.hook_of_sailing.restype, library.search.restype = ctypes.c_void_p, ctypes.c_int64
    steps = library.search(
        ctypes.c_void_p(library.hook_of_sailing()),
        ctypes.c_void_p(root.ctypes.data),
        ctypes.c_int64(simulations),
        ctypes.c_int64(STEPS),
        ctypes.c_double(c),
        *(ctypes.c_void_p(array.ctypes.data) for array in (rng, visits, values)),
    )
    if steps < 0:
        raise MemoryError(f"no room for a tree of {simulations} simulations")
    return visits, values, steps
