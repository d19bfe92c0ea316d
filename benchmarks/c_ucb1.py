"""UCB1 in C: `ucb1.c`, called with our kernel's random streams."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bandits.simulation import default_checkpoints
from benchmarks.numpy_ucb1 import Curves, Floats
from numerics.random import Purpose, streams

SOURCE = Path(__file__).with_name("ucb1.c")
_PURPOSES = (Purpose.POLICY, Purpose.REWARD, Purpose.BEST_REWARD)


class _Problem(ctypes.Structure):
    _fields_ = (
        ("means", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("arms", "runs", "horizon", "block")),
        ("checkpoints", ctypes.c_void_p),
        ("reached", ctypes.c_int64),
        *((name, ctypes.c_void_p) for name in ("rule", "reward", "best", "pulls", *Curves._fields)),
    )


def play(
    library: ctypes.CDLL, variant: str, means: Sequence[float], horizon: int, runs: int, block: int, seed: int
) -> tuple[npt.NDArray[np.int64], Curves]:
    """Play UCB1 with `variant`, "twin" or "fast"; return pulls of shape (runs, arms) and the curves."""
    means_, checkpoints = np.array(means, dtype=np.float64), default_checkpoints(horizon)
    states = [streams(seed, (purpose,), 0, runs) for purpose in _PURPOSES]
    pulls = np.empty((runs, means_.size), np.int64)
    curves: list[Floats] = [np.empty((runs, checkpoints.size)) for _ in Curves._fields]
    problem = _Problem(
        means_.ctypes.data,
        means_.size,
        runs,
        horizon,
        block,
        checkpoints.ctypes.data,
        checkpoints.size,
        *(values.ctypes.data for values in (*states, pulls, *curves)),
    )
    getattr(library, variant)(ctypes.byref(problem))
    return pulls, Curves(*curves)
