"""Confidence bounds that hold at any number of pulls, from Bernoulli's divergence: for rewards in [0, 1]."""

from __future__ import annotations

import math

from bandits.kernels.kl_index import kl_upper
from numerics.kernels.jit import kernel

RATES = ("mixture", "heuristic")
FORMULAS = {
    "mixture": "3 ln(1 + ln t) + 3 ln(1 + ln n) + 2 C(ln((K - 1) / {0}) / 2)",
    "heuristic": "ln((1 + ln t) / {0})",
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
def level_of(pulls, t, tail, delta, heuristic):
    """Return the n kl(m, q) within which the bounds q of an arm lie.

    It is the threshold at which `bandits.stopping.chernoff`, or the heuristic one, tells the arm from another that has
    nearly all pulls: an arm that the bounds rule out is ruled out there too. `tail` is `tail_of`, the same for all.
    """
    if heuristic:
        return math.log((1.0 + math.log(t)) / delta)
    return looks(t) + looks(pulls) + 2.0 * tail


@kernel()
def tail_of(arms, delta):
    """Return C_exp(ln((K - 1) / delta) / 2), what it costs that any other arm may be the better one."""
    return tail_of_exponential(0.5 * math.log(max(arms - 1, 1) / delta))


@kernel()
def looks(pulls):
    """Return what it costs to look after every pull: 3 ln(1 + ln n)."""
    return 3.0 * math.log(1.0 + math.log(pulls))


@kernel()
def tail_of_exponential(x):
    """Return C_exp(x), x >= 0, of Kaufmann and Koolen, "Mixture martingales revisited", JMLR 22 (2021), equation (11).

    With h(u) = u - ln u it is 2 g((h^-1(1 + x) + ln(2 zeta(2))) / 2), where g(y) = e^(1 / u) u with u = h^-1(y) for
    y >= h(1 / ln(3/2)), else (3/2) (y - ln ln(3/2)): the minimum over 1 < z <= 3/2 of z (y - ln ln z).

    Examples
    --------
    >>> round(tail_of_exponential(3.0), 4)
    12.4076
    """
    y = 0.5 * (_inverse_of_h(1.0 + x) + math.log(math.pi**2 / 3.0))
    log = math.log(1.5)
    if y < 1.0 / log + math.log(log):
        return 3.0 * (y - math.log(log))
    u = _inverse_of_h(y)
    return 2.0 * math.exp(1.0 / u) * u


@kernel()
def _inverse_of_h(y):
    """Return the u >= 1 with u - ln u = y, by Newton's iteration, which falls to it from above."""
    u = y + math.log(y) + math.sqrt(2.0 * max(0.0, y - 1.0)) + 1.0
    for _ in range(60):
        step = (u - math.log(u) - y) / (1.0 - 1.0 / u)
        u -= step
        if step <= 1e-14 * u or u <= 1.0:
            break
    return max(u, 1.0)
