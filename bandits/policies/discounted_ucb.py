"""Discounted UCB."""

from __future__ import annotations

import math

import numpy as np

from bandits.arms.base import LARGEST
from bandits.kernels.argmax import choose_best
from bandits.policies.base import Discounting
from bandits.rules import choice_rule, learn_rule
from bandits.spec import PolicySpec
from numerics.kernels.arrays import zeros
from numerics.kernels.elementary import ln
from numerics.kernels.jit import kernel
from numerics.parameters import parameter


class DiscountedUCB(Discounting, name="discounted_ucb"):
    """UCB1 of rewards and pulls of which each is discounted at every step, for arms that change."""

    xi: float = parameter(
        0.5,
        low=0.0,
        most=LARGEST,
        help="Factor of the exploration term, at least 0; the proof needs more than 1/2, the experiments use 1/2.",
    )
    source = "Garivier and Moulines 2011, discounted UCB"
    locks = False
    other_rewards = "proved"
    unit_theory = True

    @property
    def formula(self) -> str:
        return f"S / N + 2 sqrt({self.xi:g} ln(sum N) / N), N and S discounted by {self.discount} at each pull"

    def spec(self) -> PolicySpec:
        return self.discounted(discounted_ucb, 2.0 * math.sqrt(self.xi))


@learn_rule
def discounted_learn(memory, arm, reward):
    """Count the pull and its reward, which are discounted from the next step on.

    The memory is K rows of counts, K of sums of rewards, and K for what follows from both.
    """
    arms = memory.shape[0] // 3
    for r in range(arm.size):
        memory[arm[r], r] += 1.0
        memory[arms + arm[r], r] += reward[r]


@kernel(inline=True)
def parts(memory, arms):
    """Return the counts, the sums and the last K rows, each as float64[K * L]."""
    return memory[:arms].reshape(-1), memory[arms : 2 * arms].reshape(-1), memory[2 * arms :].reshape(-1)


@choice_rule(arm_memory=3, learn=discounted_learn, every_arm_first=False)
def discounted_ucb(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """Each arm in turn, then the highest S / N + c sqrt(ln n / N), n = sum N. params = [gamma, c].

    N is the sum of gamma^(t - 1 - s) over an arm's pulls s < t, S the discounted sum of its rewards, and c = 2
    sqrt(xi). All arms are discounted at each step, pulled or not; a late reward counts from its arrival. Garivier and
    Moulines, On upper-confidence bound policies for switching bandit problems, ALT 2011.
    """
    size = arm.size
    arms = means.size // size
    gamma, bonus = params[0], zeros(size)
    counts, sums, out = parts(memory, arms)
    for a in range(arms):
        for r in range(size):
            bonus[r] += counts[a * size + r]
    for r in range(size):
        bonus[r] = params[1] * math.sqrt(ln(max(bonus[r], 1.0)))
    for a in range(arms):
        for r in range(size):
            i = a * size + r
            n = max(counts[i], 1e-300)
            index = sums[i] / n + bonus[r] / math.sqrt(n)
            out[i] = index if counts[i] >= 1e-300 else np.inf
            counts[i] *= gamma
            sums[i] *= gamma
    if t <= arms:
        arm[:] = int(t) - 1
    else:
        choose_best(out, rng, arm)
