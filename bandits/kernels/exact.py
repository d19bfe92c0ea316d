"""Kernels of exact expectations: blocks of states with the same pulls, and how probability moves between them.

A block holds all states in which arm a has n_a pulls, one entry for each vector of successes (s_1, ..., s_K) with
0 <= s_a <= n_a, the last arm's successes varying fastest. Seen from arm a it has the shape (before, n_a + 1, behind).
"""

from __future__ import annotations

import math

import numpy as np

from bandits.kernels.argmax import share_of_best
from numerics.kernels.jit import kernel


@kernel("void(int64, int64, int64, float64, float64, float64[::1], float64[::1], float64[::1], float64[::1])")
def write_statistics(own, before, behind, start, weight, pulls, means, widths, variances):
    """Write one arm's statistics in every state of a block; it has `own` pulls.

    As the simulation kernel keeps them: the estimate is (start + successes) / (weight + pulls), `start` where nothing
    is known.
    """
    width = 1.0 / math.sqrt(own) if own > 0 else np.inf
    for i in range(before):
        for s in range(own + 1):
            known = weight + own
            mean = (weight * start + s) / known if known > 0.0 else start
            share = s / own if own > 0 else 0.0
            first = (i * (own + 1) + s) * behind
            for j in range(first, first + behind):
                pulls[j], means[j], widths[j] = float(own), mean, width
                variances[j] = share * (1.0 - share)


@kernel("void(float64[::1], int64, float64[::1])")
def shares(scores, states, chances):
    """Write the probability of each arm in each state, where the highest score is chosen."""
    share_of_best(scores, states, chances)


@kernel("void(float64[::1], float64[::1], int64, int64, int64, float64[::1])")
def pull(weights, chances, own, before, behind, target):
    """Move weight to the block in which one arm has a pull more than its `own`: half to a success, half to a failure.

    The halves make the weights the probabilities of the states when all means are 1/2: powers of two cost no digit.
    """
    for i in range(before):
        for s in range(own + 1):
            here, there = (i * (own + 1) + s) * behind, (i * (own + 2) + s) * behind
            for j in range(behind):
                moved = 0.5 * weights[here + j] * chances[here + j]
                target[there + j] += moved
                target[there + behind + j] += moved


@kernel("void(int64, int64, float64[:, ::1], float64[:, ::1], float64[:, ::1], int8[:, ::1])")
def decide_best(first, second, after_first, after_second, values, decisions):
    """Write value and decision of each state of a block of two arms, from the values of the next two blocks.

    The means of the arms are uniform beforehand. Decisions: 0 the first arm, 1 the second, 2 either.
    """
    for s in range(first + 1):
        one = (s + 1.0) / (first + 2.0)
        for z in range(second + 1):
            other = (z + 1.0) / (second + 2.0)
            a = one * (1.0 + after_first[s + 1, z]) + (1.0 - one) * after_first[s, z]
            b = other * (1.0 + after_second[s, z + 1]) + (1.0 - other) * after_second[s, z]
            values[s, z] = max(a, b)
            near = abs(a - b) <= 1e-12 * max(a, b)
            decisions[s, z] = 2 if near else 0 if a > b else 1
