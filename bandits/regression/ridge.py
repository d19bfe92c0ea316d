"""Ridge regression of each arm's rewards: A = ridge I + sum of x x', b = sum of r x, theta = A^-1 b.

The inverse is stored, not A. A reward changes it by a matrix of rank one (Sherman and Morrison 1950). This costs d^2
operations; a solver needs d^3. Only the lower triangle is stored, so rounding cannot make it asymmetric. About as many
digits are lost as |x|^2 / ridge has, however many rewards there are.
"""

from __future__ import annotations

import math

import numpy as np

from bandits.kernels.indices.highest_chance import GAUSSIAN, write_scaled_chances
from bandits.rules import learn_rule
from numerics.kernels.arrays import empty
from numerics.kernels.jit import kernel
from numerics.kernels.simd import LANES, lanes_at, lanes_of, put_lanes
from numerics.random import next_uniform, normal_quantile

LEAST_RIDGE = 1e-6  # below it, rounding would decide what is left of A^-1
_LEAST_UNIFORM = 2.0**-54


def regression_rows(features: int) -> int:
    """Return how many rows of memory an arm takes, for that many features: `arm_memory` of a rule."""
    return features * (features + 1) // 2 + features


arm_rows = kernel(inline=True)(regression_rows)


@kernel()
def start_regressions(memory, arms, ridge):
    """Write A^-1 = I / ridge of every arm and replication; theta is 0 at first, as all of the memory."""
    features = int(memory[0, 0])
    for a in range(arms):
        row = 1 + features + a * arm_rows(features)
        for i in range(features):
            row += i
            memory[row] = 1.0 / ridge
            row += 1


@kernel()
def write_predictions(memory, arms, out):
    """Write theta . x of every arm over `out`, float64[K * L]."""
    features, size = int(memory[0, 0]), memory.shape[1]
    each = arm_rows(features)
    flat, whole = memory.reshape(-1), size - size % LANES
    for a in range(arms):
        theta = 1 + (a + 1) * each
        for r in range(0, whole, LANES):
            total = lanes_of(0.0)
            for i in range(features):
                total = total + lanes_at(flat, (theta + i) * size + r) * lanes_at(flat, (1 + i) * size + r)
            put_lanes(out, a * size + r, total)
        for r in range(whole, size):
            out[a * size + r] = 0.0
            for i in range(features):
                out[a * size + r] += memory[theta + i, r] * memory[1 + i, r]


@kernel()
def write_spreads(memory, arms, out):
    """Write sqrt(x' A^-1 x) of every arm over `out`, float64[K * L].

    This is nearly all the work of a rule: eight replications at once, whose numbers lie side by side.
    """
    features, size = int(memory[0, 0]), memory.shape[1]
    flat, whole = memory.reshape(-1), size - size % LANES
    for a in range(arms):
        first = 1 + features + a * arm_rows(features)
        for r in range(0, whole, LANES):
            entry, total = first * size + r, lanes_of(0.0)
            for i in range(features):
                x, half = lanes_at(flat, (1 + i) * size + r), lanes_of(0.0)
                for j in range(i):
                    half = half + lanes_at(flat, entry) * lanes_at(flat, (1 + j) * size + r)
                    entry += size
                total = total + x * (half * 2.0 + lanes_at(flat, entry) * x)
                entry += size
            put_lanes(out, a * size + r, total)
        for r in range(whole, size):
            row, square = first, 0.0
            for i in range(features):
                part = 0.0
                for j in range(i):
                    part = part + memory[row, r] * memory[1 + j, r]
                    row += 1
                square = square + memory[1 + i, r] * (part * 2.0 + memory[row, r] * memory[1 + i, r])
                row += 1
            out[a * size + r] = square
    for i in range(arms * size):
        out[i] = math.sqrt(max(0.0, out[i]))


@kernel()
def write_draws(memory, arms, scale, rng, out):
    """Write a draw of theta . x of every arm over `out`, where theta is N(its estimate, scale^2 A^-1).

    Then theta . x is N(that of the estimate, scale^2 x' A^-1 x), so that one normal number draws it. The arms' thetas
    are independent, and each is drawn anew at every step. Nothing else about them matters.
    """
    spreads, size = np.empty(out.size), rng.shape[0]
    write_predictions(memory, arms, out)
    write_spreads(memory, arms, spreads)
    for r in range(size):
        for i in range(r, out.size, size):
            out[i] += scale * spreads[i] * normal_quantile(max(next_uniform(rng, r), _LEAST_UNIFORM))


@kernel()
def write_chances(memory, scale, out):
    """Write the probability that each arm of one replication has the highest draw of `write_draws`."""
    means, spreads = empty(out.size), empty(out.size)
    write_predictions(memory, out.size, means)
    write_spreads(memory, out.size, spreads)
    write_scaled_chances(GAUSSIAN, means, spreads, scale, out)


@kernel()
def direction_of(memory, first, r, x, direction):
    """Write x and A^-1 x of column r, of the arm whose rows begin at `first`, and return x' A^-1 x.

    Shapes: x and direction float64[d].
    """
    row, square = first, 0.0
    for i in range(x.size):
        x[i], direction[i] = memory[1 + i, r], 0.0
        for j in range(i):
            entry = memory[row, r]
            direction[i] += entry * x[j]
            direction[j] += entry * x[i]
            row += 1
        direction[i] += memory[row, r] * x[i]
        row += 1
    for i in range(x.size):
        square += direction[i] * x[i]
    return square


@kernel()
def count_features(memory, first, r, direction, square, weight):
    """Replace A by A + weight x x', whose inverse is A^-1 - u u' weight / (1 + weight x' u) with u = A^-1 x.

    `direction` and `square` are what `direction_of` gives.
    """
    row, factor = first, weight / (1.0 + weight * square)
    for i in range(direction.size):
        scaled = factor * direction[i]
        for j in range(i + 1):
            memory[row, r] -= scaled * direction[j]
            row += 1


@learn_rule
def ridge_learn(memory, arm, reward):
    """Count a reward and its features: theta moves by A^-1 x (r - theta . x), with the A that counts them."""
    features = int(memory[0, 0])
    each, x, direction = arm_rows(features), np.empty(features), np.empty(features)
    for r in range(arm.size):
        first = 1 + features + arm[r] * each
        theta = first + each - features
        square = direction_of(memory, first, r, x, direction)
        count_features(memory, first, r, direction, square, 1.0)
        missed = reward[r]
        for i in range(features):
            missed -= memory[theta + i, r] * x[i]
        for i in range(features):
            memory[theta + i, r] += direction[i] * missed / (1.0 + square)
