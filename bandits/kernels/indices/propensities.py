"""Probabilities in proportion to weights, and an arm drawn with them."""

from __future__ import annotations

import math

import numpy as np

from numerics.kernels.arrays import empty
from numerics.kernels.jit import kernel
from numerics.kernels.pointers import at
from numerics.random import next_uniform


@kernel()
def write_propensity(rng, out):
    """Draw an arm of each replication by the weights in `out`; write its probability there, and -inf for the others.

    `out` is float64[K * L]. So the score of the arm that is pulled is its propensity, which a trace keeps.
    """
    size = rng.shape[0]
    total, chosen = empty(size), empty(size, np.int64)
    draw_by_weights(out, total, rng, chosen)
    for r in range(size):
        total[r] = out[at(chosen[r] * size + r)] / total[r]
    out[:] = -math.inf
    for r in range(size):
        out[at(chosen[r] * size + r)] = total[r]


@kernel()
def draw_by_weights(weights, total, rng, arm):
    """Draw an arm of each replication in proportion to its weight; write the sums of the weights too.

    Shapes: weights float64[K * L], arm-major; total float64[L]; rng uint64[L, 4]; arm int64[L].
    """
    size = arm.size
    total[:] = 0.0
    for a in range(weights.size // size):
        for r in range(size):
            total[r] += weights[a * size + r]
    for r in range(size):
        left, arm[r] = next_uniform(rng, r) * total[r], 0
        for a in range(weights.size // size):  # no early exit: which arm it is cannot be predicted
            weight = weights[at(a * size + r)]
            arm[r] = a if (weight > 0.0) & (left >= 0.0) else arm[r]
            left -= weight


@kernel()
def share_by_weight(size, out):
    """Turn the weights in `out`, float64[K * L] of L = `size` states, into probabilities."""
    for r in range(size):
        total = 0.0
        for i in range(r, out.size, size):
            total += out[i]
        for i in range(r, out.size, size):
            out[i] /= total


@kernel()
def write_shares(memory, first, out):
    """Write the probability of each arm of one replication in proportion to its weight, from row `first` on."""
    for a in range(out.size):
        out[a] = memory[first + a, 0]
    share_by_weight(1, out)
