"""What the simulation kernels take and fill in: the policy, the problem, the random streams, and what is kept."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from numerics.kernels.jit import kernel, tuple_type

MOST_ROOTS = 2**20  # counts whose 1 / sqrt(n) is kept, 8 MiB


class KernelSpec(NamedTuple):
    """How a policy plays; made by `bandits.spec.PolicySpec.kernel_spec`.

    For the bandit's kernel and for searches: Numba takes two named tuples of equal names and field types for one type,
    and then refuses the second class where it expects the first.
    """

    is_choice: bool  # the select hook decides; else the argmax of the score hook
    has_learn: bool  # call the learn hook after every pull
    needs_variances: bool  # keep variances up to date
    params: npt.NDArray[np.float64]  # [...], the rule's own numbers
    memory: int  # rows of the choice rule's memory
    arm_memory: int  # more rows for each arm, behind those
    explore: int  # pulls of every arm, in turn, before the rule is asked
    initial: float  # the estimate of an arm before its first pull
    prior_pulls: float  # how many pulls that start value counts for
    step_size: float  # 0: sample averages; else the estimate moves this share towards each reward


class Problem(NamedTuple):
    """What is played: R replications of a K-armed bandit."""

    means: np.ndarray  # float64[R, K]
    params: np.ndarray  # float64[K, P], the numbers of the law, a row an arm
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
    reward_sum: np.ndarray  # float64[R, C], the sum of rewards
    best_reward_sum: np.ndarray  # float64[R, C], the sum of r*, the best arm's rewards
    reward: np.ndarray  # float64[R, C], the reward at step t itself
    optimal: np.ndarray  # uint8[R, C], whether step t pulled a best arm


class Trace(NamedTuple):
    """Every step of the first replication, or empty arrays."""

    arm: np.ndarray  # int64[T]
    reward: np.ndarray  # float64[T]
    best_reward: np.ndarray  # float64[T]
    means: np.ndarray  # float64[T, K], the estimates before the pull
    scores: np.ndarray  # float64[T, K], the scores that chose; NaN where no index was asked for


_TABLE, _WORDS = "float64[:, ::1]", "uint64[:, ::1]"


def argument_types() -> dict[str, Any]:
    """Return the Numba types of these tuples by name."""
    return {
        "Problem": tuple_type(Problem, f"{_TABLE}, {_TABLE}, int64, int64[::1]"),
        "Streams": tuple_type(Streams, f"{_WORDS}, {_WORDS}, {_WORDS}"),
        "Record": tuple_type(Record, f"int64[:, ::1], {_TABLE}, {_TABLE}, {_TABLE}, {_TABLE}, uint8[:, ::1]"),
        "Trace": tuple_type(Trace, f"int64[::1], float64[::1], float64[::1], {_TABLE}, {_TABLE}"),
        "KernelSpec": kernel_spec_type(),
    }


def kernel_spec_type() -> Any:
    """Return the Numba type of a `KernelSpec`."""
    flags, counts, numbers = ["boolean"] * 3, ["int64"] * 3, ["float64"] * 3
    return tuple_type(KernelSpec, ", ".join([*flags, "float64[::1]", *counts, *numbers]))


@kernel()
def row(size, value):
    """Return float64[size] that begins on a cache line: vector loads that straddle two lines take twice as long."""
    room = np.full(size + 8, value)
    skip = -int(room.ctypes.data) // 8 % 8
    return room[skip : skip + size]
