"""Weights of regressions on rows that lie before us all at once, with a penalty for long ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_STEPS = 100


def fit_ridge(features: Floats, rewards: Floats, ridge: float = 1.0) -> Floats:
    """Return the theta that minimises sum (r - theta . x)^2 + ridge |theta|^2, float64[d].

    Examples
    --------
    >>> fit_ridge(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([2.0, 4.0])).tolist()
    [1.0, 2.0]
    """
    penalised = features.T @ features + ridge * np.eye(features.shape[1])
    return np.asarray(np.linalg.solve(penalised, features.T @ rewards), dtype=np.float64)


def fit_logistic(features: Floats, rewards: Floats, ridge: float = 1.0) -> Floats:
    """Return the theta that minimises sum ln(1 + exp(-(2 r - 1) theta . x)) + ridge / 2 |theta|^2, float64[d].

    Rewards are 0 or 1. Newton's method, with steps halved until the sum falls.

    Examples
    --------
    >>> fit_logistic(np.array([[1.0], [1.0]]), np.array([0.0, 1.0])).tolist()
    [0.0]
    """
    theta = np.zeros(features.shape[1])
    cost = _cost(features, rewards, ridge, theta)
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(features @ theta, -700.0, 700.0)))
        curvature = features.T @ (features * (chance * (1.0 - chance))[:, None]) + ridge * np.eye(theta.size)
        step = np.linalg.solve(curvature, features.T @ (rewards - chance) - ridge * theta)
        while (moved := _cost(features, rewards, ridge, theta + step)) > cost and np.abs(step).max() > 1e-12:
            step /= 2.0
        theta, cost = theta + step, moved
        if np.abs(step).max() <= 1e-12 * max(1.0, np.abs(theta).max()):
            break
    return theta


def _cost(features: Floats, rewards: Floats, ridge: float, theta: Floats) -> float:
    odds = features @ theta
    return float((np.logaddexp(0.0, odds) - rewards * odds).sum() + 0.5 * ridge * theta @ theta)
