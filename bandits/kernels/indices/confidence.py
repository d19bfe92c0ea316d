"""Confidence bounds that hold at any number of pulls, from Bernoulli's divergence: for rewards in [0, 1]."""

from __future__ import annotations

import math

from bandits.kernels.indices.kl_index import ROUNDING, START_SLACK, bernoulli_kl, kl_excluded, kl_upper, kl_upper_bound
from numerics.kernels.jit import kernel

_EDGE = 1e-6  # a bound so near 0 or 1 has too few digits to rule out an arm that has the same
RATES = ("mixture", "heuristic")
FORMULAS = {
    "mixture": "3 ln(1 + ln t) + 3 ln(1 + ln n) + 2 C(ln((K - 1) / {0}) / 2)",
    "heuristic": "ln((1 + ln t) / {0})",
}


@kernel()
def upper_bound(mean, level):
    """Return max{q : kl(mean, q) <= level}."""
    if mean >= 1.0:
        return 1.0
    return kl_upper(mean, level, kl_upper_bound(mean, level) + START_SLACK)


@kernel()
def lower_bound(mean, level):
    """Return min{q : kl(mean, q) <= level}, the upper bound seen from 1."""
    return 1.0 - upper_bound(1.0 - mean, level)


@kernel()
def write_upper_bounds(pulls, means, size, r, t, without, common, heuristic, out):
    """Write replication r's upper bounds that may be the highest over `out`, float64[K], and return the highest.

    Arm `without` has none; it and the other arms get -inf. Most are ruled out by arithmetic, as in `kl_index`.
    """
    first, most = -1, level_of(t, common, heuristic)  # no level is above that
    for a in range(out.size):
        out[a] = -math.inf
        if a != without and (first < 0 or means[a * size + r] > means[first * size + r]):
            first = a
    if first < 0:
        return -math.inf
    i = first * size + r
    highest = upper_bound(means[i], level_of(pulls[i], common, heuristic) / pulls[i])
    out[first] = highest
    for a in range(out.size):
        i = a * size + r
        n, m = pulls[i], means[i]
        if a in (without, first) or kl_excluded(n, m, highest, most * ROUNDING):
            continue
        level = level_of(n, common, heuristic)
        if m >= highest or highest > 1.0 - _EDGE or n * bernoulli_kl(m, highest) <= level * ROUNDING:
            out[a] = upper_bound(m, level / n)
            highest = max(highest, out[a])
    return highest


@kernel()
def write_lower_bounds(pulls, means, size, r, common, heuristic, out):
    """Write replication r's lower bounds that may be the highest over `out`, float64[K]; the other arms get -inf."""
    first = 0
    for a in range(out.size):
        out[a] = -math.inf
        first = a if means[a * size + r] > means[first * size + r] else first
    i = first * size + r
    highest = lower_bound(means[i], level_of(pulls[i], common, heuristic) / pulls[i])
    out[first] = highest
    for a in range(out.size):
        i = a * size + r
        n, m = pulls[i], means[i]
        if a == first or m < highest:
            continue
        level = level_of(n, common, heuristic)
        if highest < _EDGE or n * bernoulli_kl(m, highest) >= level / ROUNDING:
            out[a] = lower_bound(m, level / n)
            highest = max(highest, out[a])


@kernel()
def common_level(t, arms, delta, heuristic, memory, r):
    """Return the part of `level_of` that is the same for all arms of replication r.

    memory[0, r] keeps what K and delta alone decide, the `tail_of` both; it is 0 at first.
    """
    if heuristic:
        return math.log((1.0 + math.log(t)) / delta)
    if memory[0, r] == 0.0:
        memory[0, r] = 2.0 * tail_of(arms, delta)
    return looks(t) + memory[0, r]


@kernel()
def level_of(pulls, common, heuristic):
    """Return the n kl(m, q) within which the bounds q of an arm lie.

    It is the threshold at which `bandits.stopping.chernoff`, or the heuristic rule, separates the arm from one with
    nearly all pulls. An arm that the bounds rule out is also ruled out there. `common` is `common_level`.
    """
    return common if heuristic else common + looks(pulls)


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

    With h(u) = u - ln u it is 2 g((h^-1(1 + x) + ln(2 zeta(2))) / 2). Here g(y) is the minimum over 1 < z <= 3/2 of
    z (y - ln ln z). With u = h^-1(y), g(y) = e^(1 / u) u for y >= h(1 / ln(3/2)), else (3/2) (y - ln ln(3/2)).

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
