"""What theory says of regret: the lower bound of Lai and Robbins, and an upper bound for LinUCB."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from bandits.arms.base import ARMS, Arms
from bandits.arms.contextual.linear import Linear
from bandits.policies.base import Policy
from bandits.policies.linucb import LinUCB


def lai_robbins_constant(arms: Arms | Iterable[float]) -> float:
    """Return the C of the asymptotic lower bound: a consistent policy's regret grows at least as C ln T.

    C = sum over suboptimal arms of gap / kl(mean, best mean), where kl is the divergence of the arms' law: Lai and
    Robbins 1985, theorem 1. It is the slope as T goes to infinity, not a bound at finite T.

    Returns
    -------
    float
        NaN if the means are drawn anew in every replication, or the law has no divergence; 0 if all arms are equal or
        the best mean of Bernoulli arms is 1.

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


def linucb_bound(policy: Policy, arms: Arms, horizon: int, delta: float = 0.05) -> float:
    """Return what the regret of LinUCB on linear arms stays below with probability 1 - delta; NaN where none is proved.

    R_T <= 2 alpha sqrt(2 T D ln(1 + T L^2 / (ridge D))) with D = K d. This is Theorem 3 of Abbasi-Yadkori, Pal and
    Szepesvari, Improved algorithms for linear stochastic bandits, NIPS 2011. In its proof alpha takes the place of the
    radius. Arms with weights of their own are a linear bandit in D dimensions: the weights one after another, and x in
    the place of the arm. It needs means within [-1, 1], features of length at most L, and ridge >= max(1, L^2). It also
    needs alpha to be at least the radius of their Theorem 2, s sqrt(2 ln(1 / delta) + D ln(1 + T L^2 / (ridge D))) +
    sqrt(ridge) S. Here s is the standard deviation of the rewards and S the length of all weights. It holds if rewards
    come at once.

    Examples
    --------
    >>> from bandits import Linear, LinUCB
    >>> arms = Linear(arms=2, features=2, scale=0.1)
    >>> round(linucb_bound(LinUCB(alpha=2.2), arms, 100_000)), linucb_bound(LinUCB(alpha=1.0), arms, 100_000)
    (12524, nan)
    """
    if not (isinstance(policy, LinUCB) and isinstance(arms, Linear)):
        return math.nan
    size, longest, ridge = arms.count * arms.dimension, arms.longest, policy.ridge
    largest = float(np.linalg.norm(arms.thetas(0, 0, 1)[0], axis=1).max()) * longest  # of any mean, at most
    grown = size * math.log1p(horizon * longest**2 / (ridge * size))
    weights = float(np.linalg.norm(arms.thetas(0, 0, 1)[0]))
    radius = arms.deviation * math.sqrt(2.0 * math.log(1.0 / delta) + grown) + math.sqrt(ridge) * weights
    if largest > 1.0 + 1e-9 or ridge < max(1.0, longest**2) or policy.alpha < radius:
        return math.nan
    return 2.0 * policy.alpha * math.sqrt(2.0 * horizon * grown)
