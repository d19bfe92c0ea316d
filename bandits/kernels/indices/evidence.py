"""How strongly rewards speak against an arm being as good as another: generalised likelihood ratios."""

from __future__ import annotations

import math

from bandits.kernels.indices.kl_index import bernoulli_kl
from numerics.kernels.jit import kernel

BERNOULLI, GAUSSIAN, EXPONENTIAL, POISSON = range(4)  # exponential families, by their means
_HALVINGS = 40


@kernel()
def divergence(family, p, q):
    """Return the divergence of the law of mean p from that of mean q, of standard deviation 1 if it is normal."""
    if family == BERNOULLI:
        return bernoulli_kl(p, q)
    if family == GAUSSIAN:
        return 0.5 * (p - q) * (p - q)
    if family == EXPONENTIAL:
        return p / q - 1.0 - math.log(p / q) if p > 0.0 else math.inf
    return (p * math.log(p / q) if p > 0.0 else 0.0) - p + q


@kernel()
def variance(family, mean):
    """Return the variance of the law of a mean."""
    if family == BERNOULLI:
        return mean * (1.0 - mean)
    return 1.0 if family == GAUSSIAN else mean * mean if family == EXPONENTIAL else mean


@kernel()
def transport(family, n, p, m, q):
    """Return the least n d(p, x) + m d(q, x) over x: the evidence that arms of means p and q are not alike.

    n and m are pulls. The least is at the mean of all rewards together.
    """
    if p == q:
        return 0.0
    x = (n * p + m * q) / (n + m)
    return n * divergence(family, p, x) + m * divergence(family, q, x)


@kernel()
def transport_beyond(family, n, p, m, q, epsilon):
    """Return the least n d(p, x) + m d(q, x + epsilon) over x, for p > q - epsilon.

    That is the evidence that the second arm is not epsilon better than the first. The derivative in x,
    n (x - p) / V(x) + m (x + epsilon - q) / V(x + epsilon), changes its sign once.
    """
    low = q - epsilon if family == GAUSSIAN else max(q - epsilon, 0.0)
    high = min(p, 1.0 - epsilon) if family == BERNOULLI else p
    for _ in range(_HALVINGS):
        x = 0.5 * (low + high)
        y = x + epsilon
        if n * (x - p) * variance(family, y) + m * (y - q) * variance(family, x) > 0.0:
            high = x
        else:
            low = x
    x = 0.5 * (low + high)
    return n * divergence(family, p, x) + m * divergence(family, q, x + epsilon)
