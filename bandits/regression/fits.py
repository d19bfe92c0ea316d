"""Penalised regression weights for given rows (batch fits)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_STEPS, _NEAR = 100, 1e-12  # of Newton's method, and the step after which it ends


def fit_ridge(features: Floats, rewards: Floats) -> Floats:
    """Return the theta that minimises sum (r - theta . x)^2 + |theta|^2, float64[d].

    Examples
    --------
    >>> fit_ridge(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([2.0, 4.0])).tolist()
    [1.0, 2.0]
    """
    return np.asarray(np.linalg.solve(curvature(features), features.T @ rewards), np.float64)


def fit_logistic(features: Floats, rewards: Floats, offset: float = 0.0) -> Floats:
    """Return the theta of the largest log likelihood less |theta|^2 / 2, of P(1) = sigmoid(offset + theta . x).

    Rewards are from 0 to 1. Newton's method, with steps halved until they climb.

    Examples
    --------
    >>> fit_logistic(np.array([[1.0], [1.0]]), np.array([0.0, 1.0])).tolist()
    [0.0]
    """

    def loss(theta: Floats) -> float:
        score = offset + features @ theta
        return float((np.logaddexp(0.0, score) - rewards * score).sum() + 0.5 * theta @ theta)

    theta = np.zeros(features.shape[1])
    now = loss(theta)
    for _ in range(_STEPS):
        chance = sigmoid(offset + features @ theta)
        step = np.linalg.solve(curvature(features, chance * (1.0 - chance)), features.T @ (rewards - chance) - theta)
        while (after := loss(theta + step)) > now and np.abs(step).max() > _NEAR:
            step /= 2.0
        theta, now = theta + step, after
        if np.abs(step).max() <= _NEAR * max(1.0, np.abs(theta).max()):
            break
    return theta


def curvature(features: Floats, slope: Floats | float = 1.0) -> Floats:
    """Return the matrix of second derivatives of what a fit minimises: sum slope x x' + I, float64[d, d].

    Examples
    --------
    >>> curvature(np.array([[1.0, 2.0]])).tolist()
    [[2.0, 2.0], [2.0, 5.0]]
    """
    matrix: Floats = (features * np.reshape(slope, (-1, 1))).T @ features + np.eye(features.shape[1])
    return matrix


def sigmoid(score: Any) -> Any:
    """Return 1 / (1 + exp(-score)), of any size.

    Examples
    --------
    >>> sigmoid(np.array([-1e9, 0.0, 1e9])).tolist()
    [0.0, 0.5, 1.0]
    """
    from scipy.special import expit

    return expit(score)
