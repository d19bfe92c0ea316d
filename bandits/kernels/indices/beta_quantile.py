"""The upper quantile of a Beta posterior: x with P(X > x) = p, for p up to about a half.

Legend: a, b the parameters; x a point and y = 1 - x, which keeps its digits where x is near 1.
"""

from __future__ import annotations

import math

from bandits.kernels.indices.kl_index import kl_upper_bound
from numerics.kernels.jit import kernel

_CLOSE = 1e-14  # of the continued fraction
_SMALL = 1e-100  # where numerators and denominators are scaled
_NEAR = 1e-4  # what ln P may lack before a last step of the iteration: it then lacks about the cube of that


@kernel()
def log_beta(a, b):
    """Return ln B(a, b)."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


@kernel()
def fraction(a, b, x):
    """Return the continued fraction of I_x(a, b) a B(a, b) / (x^a (1 - x)^b), for x up to (a + 1) / (a + b + 2).

    NIST Handbook of Mathematical Functions, 8.17.22. Numerators p and denominators q of its convergents, by their
    recurrence 3.10.6, need no division beside those of the terms; no denominator vanishes there.
    """
    p, q, p_last, q_last = 1.0, 1.0 - (a + b) * x / (a + 1.0), 1.0, 1.0
    for m in range(1, 100_000):
        end = a + 2.0 * m
        term = m * (b - m) * x / ((end - 1.0) * end)
        p_last, q_last = p + term * p_last, q + term * q_last
        term = -(a + m) * (a + b + m) * x / (end * (end + 1.0))
        p, q = p_last + term * p, q_last + term * q
        if abs(p * q_last - p_last * q) < _CLOSE * abs(p_last * q):
            break
        if not _SMALL < abs(q) < 1.0 / _SMALL:
            p, q, p_last, q_last = p / q, 1.0, p_last / q, q_last / q
    return p / q


@kernel()
def tail_and_hazard(a, b, x, y, scale):
    """Return ln P(X > x), and the density at x over P(X > x); `scale` is ln B(a, b)."""
    log_power = a * math.log(x) + b * math.log(y) - scale
    if y <= (b + 1.0) / (a + b + 2.0):
        ratio = fraction(b, a, y) / b
        return log_power + math.log(ratio), 1.0 / (ratio * x * y)
    below = math.exp(log_power) * fraction(a, b, x) / a
    return math.log1p(-below), math.exp(log_power) / (x * y * (1.0 - below))


@kernel()
def beta_upper(a, b, level, start):
    """Return x with P(X > x) = exp(-level) for X ~ Beta(a, b), to about 1e-13; `start` is a guess in (0, 1).

    Halley's iteration on ln P(X > x), whose second derivative costs nothing. Where a step leaves the bracket, that is
    halved.
    """
    scale = log_beta(a, b)
    low_x, low_y, high_x, high_y = 0.0, 1.0, 1.0, 0.0  # the bracket, its two ends as x and as y
    x, y = start, 1.0 - start
    for _ in range(200):
        log_tail, hazard = tail_and_hazard(a, b, x, y, scale)
        lacking = log_tail + level
        bend = 1.0 + 0.5 * lacking * (1.0 + ((a - 1.0) / x - (b - 1.0) / y) / hazard)
        step = lacking / (hazard * bend) if bend > 0.5 else lacking / hazard
        if abs(lacking) <= _NEAR:
            x, y = x + step, y - step
            break
        if lacking > 0.0:
            low_x, low_y = x, y
        else:
            high_x, high_y = x, y
        x, y = x + step, y - step
        if not (x > low_x and y > high_y):
            x, y = 0.5 * (low_x + high_x), 0.5 * (low_y + high_y)
    return x if x < 0.5 else 1.0 - y


@kernel()
def guess(m, n, level):
    """Return a guess of that x for about n observations of mean m: where exp(-n kl(m, x)) / (z sqrt(2 pi)) is p."""
    sharper = level - 0.5 * math.log(1.0 + 12.566370614359172 * level)
    x = kl_upper_bound(m, (sharper if sharper > 0.0 else 0.0) / n)
    return min(max(x, 1e-9), 1.0 - 1e-9)
