"""Policies that see features in NumPy: all arms of all replications in a few calls a step.

The inverse of A is kept and changed by a matrix of rank one where an arm is pulled, as in our kernels: with a solver at
every step NumPy would be slower. Features and means are those that our kernel sees, drawn by the same call.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bandits import Policy
from bandits.arms.contextual.base import ContextualArms
from bandits.regression.fits import sigmoid

NAMES = ("linucb", "lin_thompson", "lin_epsilon_greedy", "logistic_thompson")
_STEPS = 6  # of Newton's method; features of length 1 and a ridge of 1 or more need no more for 12 digits

Floats = npt.NDArray[np.float64]


def play(policy: Policy, arms: ContextualArms, horizon: int, runs: int, seed: int) -> Floats:
    """Play a policy of NAMES, and return the pseudo-regret of each replication, float64[R].

    Linear arms pay normal rewards, logistic ones 0 or 1.
    """
    rng, run = np.random.default_rng(seed), np.arange(runs)
    settings: Any = policy
    _, means, features = arms.with_features(seed, 0, runs, horizon)
    inverse = np.tile(np.eye(arms.dimension) / settings.ridge, (runs, arms.count, 1, 1))
    theta, regret = np.zeros((runs, arms.count, arms.dimension)), np.zeros(runs)
    for t in range(horizon):
        x, mean = features[:, t], means[:, t]
        predicted = (theta * x[:, None]).sum(axis=2)
        if policy.name == "lin_epsilon_greedy":
            explores = rng.random(runs) < settings.epsilon
            arm = np.where(explores, rng.integers(arms.count, size=runs), predicted.argmax(axis=1))
        else:
            spread = np.sqrt(((inverse @ x[:, None, :, None])[..., 0] * x[:, None]).sum(axis=2))
            drawn = settings.alpha if policy.name == "linucb" else settings.scale * rng.standard_normal(spread.shape)
            arm = (predicted + drawn * spread).argmax(axis=1)
        regret += mean.max(axis=1) - mean[run, arm]
        direction = (inverse[run, arm] @ x[:, :, None])[..., 0]
        square, margin = (direction * x).sum(axis=1), predicted[run, arm]
        if policy.name == "logistic_thompson":
            reward = (rng.random(runs) < mean[run, arm]).astype(np.float64)
            moved, weight = _most_probable(reward, margin, square)
        else:
            reward = rng.normal(mean[run, arm], arms.law_params[arm, 0])
            moved, weight = (reward - margin) / (1.0 + square), np.ones(runs)
        theta[run, arm] += moved[:, None] * direction
        shrunk = (weight / (1.0 + weight * square))[:, None, None]
        inverse[run, arm] -= shrunk * direction[:, :, None] * direction[:, None, :]
    return regret


def _most_probable(reward: Any, margin: Floats, square: Floats) -> tuple[Floats, Floats]:
    """Return the root c of c = reward - sigmoid(margin + c square), and the slope p (1 - p) there."""
    c = np.zeros(margin.size)
    for _ in range(_STEPS):
        p = sigmoid(margin + c * square)
        c -= (c - reward + p) / (1.0 + square * p * (1.0 - p))
    p = sigmoid(margin + c * square)
    return c, p * (1.0 - p)
