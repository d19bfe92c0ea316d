"""Both ends of the confidence interval of Bernoulli's divergence, for rewards in [0, 1]."""

from __future__ import annotations

import math

from bandits.kernels.kl_index import kl_upper
from numerics.kernels.jit import kernel

RATES = ("mixture", "heuristic")
FORMULAS = {
    "mixture": "x + 4 ln(1 + x + sqrt(2 x)) + 3 ln(1 + ln n), x = ln(K / {0:g})",
    "heuristic": "ln((1 + ln t) / {0:g})",
}


@kernel()
def upper_bound(mean, level):
    """Return max{q : kl(mean, q) <= level}; Newton's iteration begins at Pinsker's bound."""
    return kl_upper(mean, level, min(1.0, mean + math.sqrt(0.5 * level)))


@kernel()
def lower_bound(mean, level):
    """Return min{q : kl(mean, q) <= level}, the upper bound seen from 1."""
    return 1.0 - upper_bound(1.0 - mean, level)


@kernel()
def level_of(pulls, t, arms, delta, heuristic):
    """Return the n kl(m, q) within which the bounds q of an arm lie.

    That is ln((1 + ln t) / delta), or x + 4 ln(1 + x + sqrt(2 x)) + 3 ln(1 + ln n) with x = ln(K / delta): the bound of
    Kaufmann and Koolen, "Mixture martingales revisited", JMLR 22 (2021), theorem 7 with the approximation of its
    section 2.
    """
    if heuristic:
        return math.log((1.0 + math.log(t)) / delta)
    x = math.log(arms / delta)
    return x + 4.0 * math.log(1.0 + x + math.sqrt(2.0 * x)) + 3.0 * math.log(1.0 + math.log(pulls))
