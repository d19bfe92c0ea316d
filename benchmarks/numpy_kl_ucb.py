"""KL-UCB in NumPy: the index max{q : n kl(m, q) <= ln t} of every arm of every replication, at every step.

`bisection` halves an interval 25 times, to 3e-8, as textbooks do. `newton` is as lean as we can write it. Arrays are
made before the loop, and operations are in place. p ln p + (1 - p) ln(1 - p) and 1 / n are kept for each arm. Most of
the gain comes from starting each index at its value of the step before. Since ln t has hardly changed, two steps of
Newton's iteration are enough. The mean regret is right within the noise, but single indices are not exact. A pulled arm
begins again above its root. Both keep only the mean regret; equal indices go to the lowest arm.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from benchmarks.numpy_ucb1 import Floats

_EDGE, _NEAR = 1e-12, 1e-9  # how close an index may come to 1, and a mean to 0 and 1


def bisection(means: Floats, horizon: int, runs: int, checkpoints: npt.NDArray[np.int64], seed: int) -> Floats:
    """Return the mean pseudo-regret at the checkpoints."""
    rng = np.random.default_rng(seed)
    gaps, column = means.max() - means, np.arange(runs)
    pulls, sums = np.zeros((means.size, runs)), np.zeros((means.size, runs))
    curve, reached = np.empty(checkpoints.size), 0
    for t in range(1, horizon + 1):
        if t <= means.size:
            arm = np.full(runs, t - 1)
        else:
            p = np.clip(sums / pulls, _NEAR, 1.0 - _NEAR)
            budget = math.log(t) / pulls
            low, high = p, np.full(p.shape, 1.0 - _EDGE)
            for _ in range(25):
                q = 0.5 * (low + high)
                above = p * np.log(p / q) + (1.0 - p) * np.log((1.0 - p) / (1.0 - q)) > budget
                low, high = np.where(above, low, q), np.where(above, q, high)
            arm = low.argmax(axis=0)
        pulls[arm, column] += 1.0
        sums[arm, column] += rng.random(runs) < means[arm]
        if t == checkpoints[reached]:
            curve[reached] = gaps @ pulls.mean(axis=1)
            reached += 1
    return curve


def newton(means: Floats, horizon: int, runs: int, checkpoints: npt.NDArray[np.int64], seed: int) -> Floats:
    """Return the mean pseudo-regret at the checkpoints."""
    rng = np.random.default_rng(seed)
    arms, gaps, column = means.size, means.max() - means, np.arange(runs)
    shape = (arms, runs)
    pulls, sums, p, q = np.zeros(shape), np.zeros(shape), np.full(shape, 0.5), np.full(shape, 0.5)
    entropy, share = np.zeros(shape), np.ones(shape)
    a, b, level, rest = np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape)
    flat = [values.reshape(-1) for values in (pulls, sums, p, q, entropy, share)]
    table, arm = np.repeat(means, runs), np.empty(runs, np.intp)
    curve, reached = np.empty(checkpoints.size), 0
    for t in range(1, horizon + 1):
        if t <= arms:
            arm[:] = t - 1
        else:
            np.multiply(share, math.log(t), out=level)
            np.subtract(entropy, level, out=level)
            for _ in range(2):  # kl(p, q) - budget = level - p ln q - (1 - p) ln(1 - q), of slope (q - p) / (q (1 - q))
                np.subtract(1.0, q, out=rest)
                np.log(q, out=a)
                np.log(rest, out=b)
                np.subtract(a, b, out=a)
                np.multiply(a, p, out=a)
                np.add(a, b, out=a)
                np.subtract(level, a, out=a)
                np.multiply(a, q, out=a)
                np.multiply(a, rest, out=a)
                np.subtract(q, p, out=b)
                np.divide(a, b, out=a)
                np.subtract(q, a, out=q)
                np.minimum(q, 1.0 - _EDGE, out=q)
            np.argmax(q, axis=0, out=arm)
        cell = arm * runs + column
        n, s = flat[0][cell] + 1.0, flat[1][cell] + (rng.random(runs) < table[cell])
        mean, budget = np.clip(s / n, _NEAR, 1.0 - _NEAR), math.log(t + 1.0) / n
        flat[0][cell], flat[1][cell], flat[2][cell], flat[5][cell] = n, s, mean, 1.0 / n
        flat[4][cell] = mean * np.log(mean) + (1.0 - mean) * np.log1p(-mean)
        start = 1.0 - 0.5 * (1.0 - mean) * np.exp(-budget / (1.0 - mean))
        flat[3][cell] = np.minimum(np.minimum(mean + np.sqrt(0.5 * budget), start), 1.0 - _EDGE)
        if t == checkpoints[reached]:
            curve[reached] = gaps @ pulls.mean(axis=1)
            reached += 1
    return curve
