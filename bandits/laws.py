"""Reward laws: how one uniform becomes the reward of whichever arm was pulled.

All policies of a run meet the same uniform at step t of replication r (common random numbers), so that a law must need
exactly one.
"""

from __future__ import annotations

from bandits.hooks import reward_law
from numerics.random import normal_quantile


@reward_law
def bernoulli(uniform, mean, scale, reward):
    """1 with probability `mean`, else 0."""
    for r in range(reward.size):
        reward[r] = 1.0 if uniform[r] < mean[r] else 0.0


@reward_law
def gaussian(uniform, mean, scale, reward):
    """Normal with standard deviation `scale`: the quantile of the uniform, moved half a grid step away from 0."""
    for r in range(reward.size):
        inside = min(uniform[r] + 5.551115123125783e-17, 0.9999999999999999)  # the last half step would round to 1
        reward[r] = mean[r] + scale * normal_quantile(inside)
