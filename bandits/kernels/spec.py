"""How a policy plays, in a kernel's terms: one tuple of numbers for the bandit's kernel and for searches.

It stands here once because Numba takes two named tuples of equal names and field types for one type, and then refuses
the second class where it expects the first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from numerics.kernels.jit import tuple_type


class KernelSpec(NamedTuple):
    """How a policy plays; made by `bandits.spec.PolicySpec.kernel_spec`."""

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


def kernel_spec_type() -> Any:
    """Return the Numba type of a `KernelSpec`."""
    flags, counts, numbers = ["boolean"] * 3, ["int64"] * 3, ["float64"] * 3
    return tuple_type(KernelSpec, ", ".join([*flags, "float64[::1]", *counts, *numbers]))
