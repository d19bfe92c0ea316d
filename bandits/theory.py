"""The lower bound of Lai and Robbins on regret."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from bandits.arms.base import ARMS, Arms


def lai_robbins_constant(arms: Arms | Iterable[float]) -> float:
    """Return the C of the asymptotic lower bound: a consistent policy's regret grows at least as C ln T.

    C = sum over suboptimal arms of gap / kl(mean, best mean), where kl is the divergence of the arms' law: Lai and
    Robbins 1985, theorem 1. It is the slope as T goes to infinity, not a bound at finite T.

    Returns
    -------
    float
        NaN for means that are drawn in every replication, or a law without a divergence. It is 0 if all arms are equal
        or the best mean of Bernoulli arms is 1.

    Examples
    --------
    >>> from bandits import Bernoulli
    >>> round(lai_robbins_constant(Bernoulli([0.9, 0.6])), 4)
    0.9639
    """
    arms = ARMS.of(arms)
    if arms.fixed_means is None:
        return math.nan
    means = np.asarray(arms.fixed_means)
    best = float(means.max())
    (worse,) = np.nonzero(means < best)
    divergence = arms.divergence(worse, best)
    if divergence is None:
        return math.nan
    with np.errstate(over="ignore", under="ignore", divide="ignore"):  # at the ends of what floats hold: 0 or inf
        return float(np.sum((best - means[worse]) / divergence))
