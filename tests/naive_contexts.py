"""Naive twins of policies that see features: a solver at every step, one replication, as the papers say it."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

from tests.naive import Xoshiro, argmax

Floats = npt.NDArray[np.float64]


class Ridge:
    """A and b of every arm."""

    def __init__(self, arms: int, features: int, ridge: float = 1.0):
        self.precision = np.tile(ridge * np.eye(features), (arms, 1, 1))
        self.total = np.zeros((arms, features))

    def theta(self, arm: int) -> Floats:
        solved: Floats = np.linalg.solve(self.precision[arm], self.total[arm])
        return solved

    def predictions(self, x: Floats) -> list[float]:
        return [float(self.theta(arm) @ x) for arm in range(len(self.total))]

    def spreads(self, x: Floats) -> list[float]:
        return [math.sqrt(x @ np.linalg.solve(precision, x)) for precision in self.precision]

    def learn(self, arm: int, x: Floats, reward: float) -> None:
        self.precision[arm] += np.outer(x, x)
        self.total[arm] += reward * x


class Logistic(Ridge):
    """The most probable theta of every arm after its last reward, and the curvature there."""

    def theta(self, arm: int) -> Floats:
        return self.total[arm]

    def learn(self, arm: int, x: Floats, reward: float) -> None:
        """Count a reward: find where the gradient of -log P is 0, by SciPy, in all dimensions."""
        before, precision = self.total[arm].copy(), self.precision[arm].copy()

        def gradient(theta: Floats) -> Floats:
            slope: Floats = precision @ (theta - before) + (special.expit(theta @ x) - reward) * x
            return slope

        def curvature(theta: Floats) -> Floats:
            p = special.expit(theta @ x)
            grown: Floats = precision + p * (1.0 - p) * np.outer(x, x)
            return grown

        self.total[arm] = optimize.root(gradient, before, jac=curvature, tol=1e-13).x
        self.precision[arm] = curvature(self.total[arm])


def thompson_choice(model: Ridge, x: Floats, scale: float, rng: Xoshiro) -> int:
    """The highest of a normal draw of theta . x of each arm."""
    pairs = zip(model.predictions(x), model.spreads(x), strict=True)
    return argmax([mean + scale * spread * NormalDist().inv_cdf(rng.uniform()) for mean, spread in pairs], rng)


def greedy_choice(model: Ridge, x: Floats, epsilon: float, rng: Xoshiro) -> int:
    """The best prediction, or any arm with probability epsilon."""
    best, u = argmax(model.predictions(x), rng), rng.uniform()
    return int(u / epsilon * len(model.total)) if u < epsilon else best


def bound_choice(model: Ridge, x: Floats, alpha: float, rng: Xoshiro) -> int:
    """The highest theta . x + alpha sqrt(x' A^-1 x)."""
    pairs = zip(model.predictions(x), model.spreads(x), strict=True)
    return argmax([mean + alpha * spread for mean, spread in pairs], rng)
