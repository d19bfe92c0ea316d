"""Exp3."""

from __future__ import annotations

import math

from bandits.kernels.indices.propensities import draw_by_weights, write_shares
from bandits.policies.base import Policy
from bandits.rules import choice_rule, learn_rule, propensity_hook
from numerics.kernels.elementary import exp
from numerics.kernels.pointers import at
from numerics.parameters import parameter

_CHANCE, _TOP, _FIRST = range(3)  # rows of the memory: chance of the pulled arm; scratch; K gains and K weights follow


class Exp3(Policy, name="exp3"):
    """Exponential weights of estimated gains, for any rewards in [0, 1], even those of an adversary."""

    gamma: float = parameter(
        0.1,
        low=0.0,
        high=1.0,
        above=True,
        help="Share of uniform exploration, and K times the learning rate, in (0, 1].",
    )
    source = "Auer, Cesa-Bianchi, Freund and Schapire 2002, figure 1"
    other_rewards = "proved"
    unit_rewards = True

    @property
    def formula(self) -> str:
        g = f"{self.gamma:g}"
        return f"arm a with probability p_a = (1 - {g}) exp({g} G_a / K) / sum + {g} / K, G_a += r / p_a"


@learn_rule
def exp3_learn(memory, arm, reward):
    """Add the gain, weighted by the inverse of the arm's probability."""
    for r in range(arm.size):
        memory[_FIRST + arm[r], r] += reward[r] / memory[_CHANCE, r]


@choice_rule(memory=2, arm_memory=2, kept_rows=1, learn=exp3_learn, every_arm_first=False)
def exp3(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """Arm a with probability p_a = (1 - gamma) exp(gamma G_a / K) / sum + gamma / K. params = [gamma].

    Auer, Cesa-Bianchi, Freund and Schapire, The nonstochastic multiarmed bandit problem, SIAM Journal on Computing 32
    (2002), figure 1. G_a is the sum of rewards over their probabilities; the largest G is subtracted from all, so that
    no exponential overflows.
    """
    size = arm.size
    arms = means.size // size
    gamma = params[0]
    rate = gamma / arms
    top, chance = memory[_TOP], memory[_CHANCE]
    gains = memory[_FIRST : _FIRST + arms].reshape(-1)
    weights = memory[_FIRST + arms :].reshape(-1)
    top[:] = -math.inf  # not a row of gains: Numba compiles the copy of an array for two seconds
    for a in range(arms):
        for r in range(size):
            top[r] = max(top[r], gains[a * size + r])
    chance[:] = 0.0
    for a in range(arms):
        for r in range(size):
            i = a * size + r
            weights[i] = exp(rate * (gains[i] - top[r]))
            chance[r] += weights[i]
    for a in range(arms):
        for r in range(size):
            i = a * size + r
            weights[i] = (1.0 - gamma) * weights[i] / chance[r] + rate
    draw_by_weights(weights, chance, rng, arm)
    for r in range(size):
        chance[r] = weights[at(arm[r] * size + r)] / chance[r]


@propensity_hook
def exp3_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write the probability of each arm, in proportion to the weights of the choice."""
    write_shares(memory, _FIRST + out.size, out)
