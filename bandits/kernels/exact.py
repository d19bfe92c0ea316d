"""Kernels of exact expectations: blocks of states with the same pulls, and how probability moves between them.

A block holds all states in which arm a has n_a pulls. It is a float64 array of shape (n_1 + 1, n_2 + 1, n_3 + 1). It
has one entry for each vector of successes (s_1, s_2, s_3) with 0 <= s_a <= n_a. The last arm's successes vary fastest.
Two arms are the last two of three, of which the first has no pulls and never gets one.

Weight moves to the blocks in which one arm has a pull more: half to a success, half to a failure. The halves make the
weights the probabilities of the states when all means are 1/2: powers of two cost no digit.
"""

from __future__ import annotations

import math

from bandits.kernels.argmax import share_of_best
from numerics.kernels.jit import kernel
from numerics.kernels.pointers import at

_ROW = "float64[:, ::1]"
_BLOCK = "float64[:, :, ::1]"


@kernel("void(float64[::1], int64, float64[::1])")
def shares(scores, states, chances):
    """Write the probability of each arm in each state, where the highest score is chosen."""
    share_of_best(scores, states, chances)


@kernel(inline=True)
def push(moved, i, j, first, second, third):
    """Add what moves from a row of a block to the rows that it leads to.

    moved[a, k + 1] is half of the weight that pulls arm a in state k; moved[2] has a 0 before these and one behind.
    `first`, `second` and `third` are the blocks in which that arm has a pull more.
    """
    for k in range(second.shape[2]):
        second[i, j, k] += moved[1, k + 1]
    for k in range(second.shape[2]):
        second[i, j + 1, k] += moved[1, k + 1]
    for k in range(third.shape[2]):
        third[i, j, k] += moved[2, k + 1] + moved[2, k]
    if first.size:
        for k in range(second.shape[2]):
            first[i, j, k] += moved[0, k + 1]
        for k in range(second.shape[2]):
            first[i + 1, j, k] += moved[0, k + 1]


@kernel(f"void({_BLOCK}, float64[::1], float64[::1], float64[::1], {_BLOCK}, {_BLOCK}, {_BLOCK}, {_ROW})")
def move_by_scores(weights, x, y, z, first, second, third, moved):
    """Move the weights of a block where the highest score is pulled, of equal ones each with equal probability.

    x, y and z are the arms' scores by their own successes. `moved` is scratch of shape (3, n_3 + 3), 0 at first; its
    first column stays 0.
    """
    moved[2, z.size + 1] = 0.0
    for i in range(x.size):
        for j in range(y.size):
            top = max(x[i], y[j])
            chance, other = 1.0 if x[i] == top else 0.0, 1.0 if y[j] == top else 0.0
            ties = chance + other
            chance, other, equal = chance / ties, other / ties, 1.0 / (ties + 1.0)
            for k in range(z.size):
                half = 0.5 * weights[i, j, k]
                last = half * (1.0 if z[k] > top else equal if z[k] == top else 0.0)
                moved[2, k + 1] = last
                moved[1, k + 1] = half - last
            if first.size:
                for k in range(z.size):
                    moved[0, k + 1] = chance * moved[1, k + 1]
                    moved[1, k + 1] *= other
            push(moved, i, j, first, second, third)


@kernel(f"void({_BLOCK}, {_ROW}, {_BLOCK}, {_BLOCK}, {_BLOCK}, {_ROW})")
def move_by_chances(weights, chances, first, second, third, moved):
    """Move the weights of a block by each arm's probability in each state: chances has the shape (K, states)."""
    arms, size = chances.shape[0], weights.shape[2]
    moved[2, size + 1] = 0.0
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            begun = (i * weights.shape[1] + j) * size
            for a in range(arms):
                for k in range(size):
                    moved[3 - arms + a, k + 1] = 0.5 * weights[i, j, k] * chances[a, at(begun + k)]
            push(moved, i, j, first, second, third)


@kernel("void(int64, int64, float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1])")
def write_thresholds(first, second, after_first, after_second, values, thresholds):
    """Write the values of a block of two arms, and how many successes of the second decide, for each of the first.

    The means of the arms are uniform beforehand; the values of the next two blocks are given. The first arm is better
    if the second has fewer successes than the threshold, and worse if it has more. At the threshold both are equally
    good. NaN marks successes without such an order.
    """
    for s in range(first + 1):
        p = (s + 1.0) / (first + 2.0)
        worse, equal, at_most = 0, 0, -1
        for z in range(second + 1):
            q = (z + 1.0) / (second + 2.0)
            a = p * (1.0 + after_first[s + 1, z]) + (1.0 - p) * after_first[s, z]
            b = q * (1.0 + after_second[s, z + 1]) + (1.0 - q) * after_second[s, z]
            values[s, z] = max(a, b)
            if abs(a - b) <= 1e-12 * max(a, b):
                equal, at_most = equal + 1, z
            elif a > b:
                worse, at_most = worse + 1, z
        ordered = equal <= 1 and at_most == worse + equal - 1
        thresholds[s] = math.nan if not ordered else worse if equal else worse - 0.5
