"""What the simulation kernels take and fill in: the problem, the random streams, and what is kept."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import float64, int64, types, uint64

from numerics.jit import kernel

MOST_ROOTS = 2**20  # counts whose 1 / sqrt(n) is kept, 8 MiB


class Problem(NamedTuple):
    """What is played: R replications of a K-armed bandit."""

    means: np.ndarray  # float64[R, K]
    scale: float
    horizon: int
    checkpoints: np.ndarray  # int64[C], increasing, values of t in 1 ... T


class Streams(NamedTuple):
    """One random stream a replication for each purpose; all advance in place."""

    rule: np.ndarray  # uint64[R, 4]
    reward: np.ndarray  # uint64[R, 4], shared by all policies of a run
    best: np.ndarray  # uint64[R, 4]


class Record(NamedTuple):
    """What is kept: values at the checkpoints, and pull counts at the end."""

    pulls: np.ndarray  # int64[R, K]
    pseudo_regret: np.ndarray  # float64[R, C]
    gain: np.ndarray  # float64[R, C], the sum of rewards
    best_gain: np.ndarray  # float64[R, C], the sum of r*
    reward: np.ndarray  # float64[R, C], the reward at step t itself
    optimal: np.ndarray  # uint8[R, C], whether step t pulled a best arm


class Trace(NamedTuple):
    """Every step of the first replication, or empty arrays."""

    arm: np.ndarray  # int64[T]
    reward: np.ndarray  # float64[T]
    best_reward: np.ndarray  # float64[T]
    means: np.ndarray  # float64[T, K], the estimates before the pull
    scores: np.ndarray  # float64[T, K], the scores that chose; NaN where no index was asked for


def named(cls: type, *fields: Any) -> Any:
    """Return the Numba type of a named tuple."""
    return types.BaseTuple.from_types(fields, cls)


_TABLE, _WORDS = float64[:, ::1], uint64[:, ::1]
PROBLEM = named(Problem, _TABLE, float64, int64, int64[::1])
STREAMS = named(Streams, _WORDS, _WORDS, _WORDS)
RECORD = named(Record, int64[:, ::1], _TABLE, _TABLE, _TABLE, _TABLE, types.uint8[:, ::1])
TRACE = named(Trace, int64[::1], float64[::1], float64[::1], _TABLE, _TABLE)


@kernel()
def row(size, value):
    """Return float64[size] that begins on a cache line: vector loads that straddle two lines take twice as long."""
    room = np.full(size + 8, value)
    skip = -int(room.ctypes.data) // 8 % 8
    return room[skip : skip + size]
