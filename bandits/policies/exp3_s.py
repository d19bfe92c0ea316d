"""Exp3.S."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bandits.kernels.indices.propensities import draw_by_weights, write_shares
from bandits.policies.base import Forgetful
from bandits.rules import choice_rule, learn_rule, propensity_hook
from bandits.spec import PolicySpec
from numerics.kernels.elementary import exp
from numerics.kernels.pointers import at
from numerics.parameters import parameter

# Rows of the memory: chance of the pulled arm; the highest gain; what each weight grows by; then K gains since the last
# step, K weights and K probabilities.
_CHANCE, _TOP, _SHARED, _FIRST = range(4)


class Exp3S(Forgetful, name="exp3_s"):
    """Exponential weights of which a part is shared among all arms at every step, for arms that change at will."""

    gamma: float | None = parameter(
        None,
        low=0.0,
        high=1.0,
        above=True,
        help="Share of uniform exploration, and K times the learning rate, in (0, 1]; null: set from T, K and changes.",
    )
    alpha: float | None = parameter(
        None,
        low=0.0,
        high=1.0,
        above=True,
        help="A share e alpha of the total weight is spread over the arms at each step, in (0, 1]; null: 1 / T.",
    )
    source = "Auer, Cesa-Bianchi, Freund and Schapire 2002, Exp3.S with the rates of corollary 8.3"
    other_rewards = "proved"
    unit_rewards = True

    @property
    def formula(self) -> str:
        hardness = self.changes + 1
        gamma = f"sqrt(K ({hardness} ln(K T) + e) / ((e - 1) T))" if self.gamma is None else f"{self.gamma:g}"
        share = "e / (K T)" if self.alpha is None else f"{self.alpha:g} e / K"
        return f"arm a with p_a = (1 - g) w_a / sum w + g / K, w_a exp(g r / (K p_a)) + {share} sum w, g = {gamma}"

    def spec(self) -> PolicySpec:
        if self.gamma is None or self.alpha is None:
            return PolicySpec(exp3_s, plan=self.plan)
        return PolicySpec(exp3_s, (self.gamma, self.alpha))

    def plan(self, horizon: int, arms: int) -> npt.NDArray[np.float64]:
        """Return gamma and alpha, those of corollary 8.3 of Auer et al. where they are not given.

        alpha = 1 / T and gamma = min(1, sqrt(K (S ln(K T) + e) / ((e - 1) T))), S = 1 + changes.
        """
        level = (self.changes + 1) * math.log(arms * horizon) + math.e
        rate = min(1.0, math.sqrt(arms * level / ((math.e - 1.0) * horizon)))
        gamma, alpha = rate if self.gamma is None else self.gamma, 1.0 / horizon if self.alpha is None else self.alpha
        return np.array([gamma, alpha])


@learn_rule
def exp3_s_learn(memory, arm, reward):
    """Add the gain, weighted by the inverse of the arm's probability."""
    for r in range(arm.size):
        memory[_FIRST + arm[r], r] += reward[r] / memory[_CHANCE, r]


@choice_rule(memory=_FIRST, arm_memory=3, kept_rows=1, learn=exp3_s_learn, every_arm_first=False)
def exp3_s(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """Arm a with probability p_a = (1 - gamma) w_a / sum + gamma / K. params = [gamma, alpha].

    Auer, Cesa-Bianchi, Freund and Schapire, The nonstochastic multiarmed bandit problem, SIAM Journal on Computing 32
    (2002), section 8. The weight of the pulled arm is multiplied by exp(gamma r / (p K)). Then every weight grows by
    e alpha / K of the sum of all weights before. Here weights are kept with sum 1, and divided by the highest of the
    exponentials, so that none overflows.
    """
    size = arm.size
    arms = means.size // size
    gamma = params[0]
    rate, share = gamma / arms, math.e * params[1] / arms
    chance, top, shared = memory[_CHANCE], memory[_TOP], memory[_SHARED]
    gains = memory[_FIRST : _FIRST + arms].reshape(-1)
    weights = memory[_FIRST + arms : _FIRST + 2 * arms].reshape(-1)
    chances = memory[_FIRST + 2 * arms :].reshape(-1)
    if t == 1.0:
        weights[:] = 1.0 / arms
    top[:] = 0.0
    for a in range(arms):
        for r in range(size):
            top[r] = max(top[r], gains[a * size + r])
    chance[:] = 0.0
    for r in range(size):
        shared[r] = share * exp(-rate * top[r]) if t > 1.0 else 0.0  # weights begin alike, before any gain
    for a in range(arms):
        for r in range(size):
            i = a * size + r
            weights[i] = weights[i] * exp(rate * (gains[i] - top[r])) + shared[r]
            gains[i] = 0.0
            chance[r] += weights[i]
    for a in range(arms):
        for r in range(size):
            i = a * size + r
            weights[i] /= chance[r]
            chances[i] = (1.0 - gamma) * weights[i] + rate
    draw_by_weights(chances, chance, rng, arm)
    for r in range(size):
        chance[r] = chances[at(arm[r] * size + r)] / chance[r]


@propensity_hook
def exp3_s_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write the probability of each arm, in proportion to the weights of the choice."""
    write_shares(memory, _FIRST + 2 * out.size, out)
