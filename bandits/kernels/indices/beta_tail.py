"""Draws from a Beta posterior that are wanted only above a point: nearly all are refused without being made.

Legend: k successes, l failures, beyond the uniform prior; x the point; L replications.
"""

from __future__ import annotations

import math

from numerics.kernels.jit import kernel
from numerics.random import next_beta, next_uniform


@kernel(inline=True)
def tail_bound(k, l, x, flat):  # noqa: E741 (the letters of the binomial)
    """Return a bound, by arithmetic alone, of the mass of Beta(k + 1, l + 1) above x, so that a loop of it vectorises.

    With n = k + l and the mode k / n below x, the density f is log-concave and falls on (x, 1), where

        f(y) <= F exp(-rate (y - x)),   rate = (n x - k) / (x (1 - x)),
        F = (n + 1) sqrt((n + 0.191) / (2 pi (k + 0.1592) (l + 0.1592))) exp(-n kl(k / n, x)) >= f(x)

    by sqrt(2 pi k + 1) (k / e)^k <= Gamma(k + 1) <= sqrt(2 pi (k + 0.191)) (k / e)^k for k >= 0. The bound is the mass
    of this envelope, F / rate, in which exp(n kl) is replaced by a lower bound. The divergence is bounded by kl(p, q)
    >= (q - p)^2 / (2 s (1 - s)) at s = (p + 2 q) / 3, the one-node rule of `kl_upper_bound`. The exponential is bounded
    by exp(z) >= (1 + z/8 + ... + (z/8)^4 / 24)^8. Where the mode is not below x, or k < 0, it is 1. There, if `flat`
    and k, l >= 0, the envelope is F at the mode, where exp(-n kl) is 1. Its mass is F (1 - x), at most 1. Near x = 1
    this bounds what an arm with few pulls can reach.
    """
    n = k + l
    excess = n * x - k
    q = k + 2.0 * n * x
    z = 0.5625 * n * excess * excess / (q * (3.0 * n - q))  # an eighth of n kl
    growth = 1.0 + z * (1.0 + z * (0.5 + z * (0.16666666666666666 + z * 0.041666666666666664)))
    growth *= growth
    growth *= growth
    gains, losses = max(k, 0.0), max(l, 0.0)
    spread = math.sqrt((gains + losses + 0.191) / ((gains + 0.15915494309189535) * (losses + 0.15915494309189535)))
    bound = 0.3989422804014327 * (n + 1.0) * spread * x * (1.0 - x) / (excess * growth * growth)
    if flat:
        level = 0.3989422804014327 * (n + 1.0) * spread * (1.0 - x) if l >= 0.0 else 1.0
        bound = bound if excess > 0.0 else level
        return bound if (k >= 0.0) & (bound < 1.0) else 1.0
    return bound if (k >= 0.0) & (excess > 0.0) & (bound < 1.0) else 1.0


@kernel()
def draw_tail(k, l, x, bound, rng, r):  # noqa: E741
    """Draw from Beta(k + 1, l + 1), or return -inf, after an event of probability `bound` = tail_bound(k, l, x, flat).

    A draw from the envelope of `tail_bound` is accepted with probability f / envelope. So results above x have density
    f exactly, however loose the bounds are. If the bound is 1, the draw is an ordinary one.
    """
    if bound >= 1.0:
        return next_beta(k + 1.0, l + 1.0, rng, r)
    n = k + l
    if n * x > k:
        rate = (n * x - k) / (x * (1.0 - x))
        fall = -math.log(1.0 - next_uniform(rng, r))
        y = x + fall / rate
    else:  # a flat envelope
        rate, fall = 1.0 / (1.0 - x), 0.0
        y = x + next_uniform(rng, r) / rate
    if y >= 1.0:
        return -math.inf
    log_density = (
        k * math.log(y) + l * math.log1p(-y) + math.lgamma(n + 2.0) - math.lgamma(k + 1.0) - math.lgamma(l + 1.0)
    )
    log_envelope = math.log(bound * rate) - fall
    return y if math.log(1.0 - next_uniform(rng, r)) + log_envelope < log_density else -math.inf


@kernel(inline=True)
def beta_above(a, b, x, flat, rng, r):
    """Draw from Beta(a, b), but return -inf where the draw is below x, mostly without making it."""
    bound = tail_bound(a - 1.0, b - 1.0, x, flat)
    return draw_tail(a - 1.0, b - 1.0, x, bound, rng, r) if next_uniform(rng, r) < bound else -math.inf
