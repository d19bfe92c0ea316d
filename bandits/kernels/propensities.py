"""Probabilities in proportion to weights, and an arm drawn with them."""

from __future__ import annotations

import math

import numpy as np

from numerics.kernels.jit import kernel
from numerics.kernels.pointers import at
from numerics.random import next_uniform


@kernel()
def write_propensity(rng, out):
    """Draw an arm of each replication by the weights in `out`; write its probability there, and -inf for the others.

    `out` is float64[K * L]. So the score of the arm that is pulled is its propensity, which a trace keeps.
    """
    size = rng.shape[0]
    total, chosen = np.zeros(size), np.zeros(size, np.int64)
    for a in range(out.size // size):
        for r in range(size):
            total[r] += out[a * size + r]
    for r in range(size):
        left = next_uniform(rng, r) * total[r]
        chosen[r] = -1
        for a in range(out.size // size):
            weight = out[at(a * size + r)]
            if weight > 0.0 and left >= 0.0:
                chosen[r] = a
            left -= weight
    for r in range(size):
        total[r] = out[at(chosen[r] * size + r)] / total[r]
    out[:] = -math.inf
    for r in range(size):
        out[at(chosen[r] * size + r)] = total[r]


@kernel()
def share_by_weight(size, out):
    """Turn the weights in `out`, float64[K * L] of L = `size` states, into probabilities."""
    for r in range(size):
        total = 0.0
        for i in range(r, out.size, size):
            total += out[i]
        for i in range(r, out.size, size):
            out[i] /= total
