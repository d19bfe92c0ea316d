"""The gradient bandit."""

from __future__ import annotations

import math

from bandits.kernels.indices.propensities import draw_by_weights, write_shares
from bandits.policies.base import Policy
from bandits.rules import choice_rule, learn_rule, propensity_hook
from numerics.kernels.elementary import exp
from numerics.parameters import parameter

# Rows of the memory behind K shares and K preferences, from the last one on: rewards so far, their mean, scratch, step.
_REWARDS, _MEAN, _TOP, _STEP = range(1, 5)
_MORE = 4

_LONGEST = 1e100  # largest move, so that no sum of moves overflows


class Gradient(Policy, name="gradient"):
    """Preferences that climb along the gradient of the expected reward; the mean reward so far is the baseline."""

    step_size: float = parameter(0.1, low=0.0, above=True, most=1e6, help="Step of the ascent, above 0.")
    source = "Sutton and Barto 2018, section 2.8, equation (2.12)"
    locks = True

    @property
    def formula(self) -> str:
        return f"arm a with probability p_a = exp(H_a) / sum, H_a += {self.step_size:g} (r - mean r) ([pulled] - p_a)"


@learn_rule
def gradient_learn(memory, arm, reward):
    """Move all preferences, then the baseline: the mean of the previous rewards, or the first reward."""
    rows = memory.shape[0]
    arms, mean, known = (rows - _MORE) // 2, memory[rows - _MEAN], memory[rows - _REWARDS]
    for r in range(arm.size):
        mean[r] = mean[r] if known[r] > 0.0 else reward[r]
        move = min(max(memory[rows - _STEP, r] * (reward[r] - mean[r]), -_LONGEST), _LONGEST)
        for a in range(arms):
            memory[arms + a, r] += move * ((1.0 if a == arm[r] else 0.0) - memory[a, r])
        known[r] += 1.0
        mean[r] += (reward[r] - mean[r]) / known[r]


@choice_rule(memory=_MORE, arm_memory=2, kept_arm_rows=1, learn=gradient_learn, every_arm_first=False)
def gradient(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """Arm a with probability exp(H_a) / sum. params = [step_size].

    Sutton and Barto, Reinforcement Learning (2018), section 2.8, equations (2.11) and (2.12).
    """
    size = arm.size
    arms = means.size // size
    top, total = memory[memory.shape[0] - _TOP], memory[memory.shape[0] - _STEP]
    shares = memory[:arms].reshape(-1)
    preferences = memory[arms : 2 * arms].reshape(-1)
    top[:] = -math.inf  # not a row of preferences: Numba compiles the copy of an array for two seconds
    for a in range(arms):
        for r in range(size):
            top[r] = max(top[r], preferences[a * size + r])
    for a in range(arms):
        for r in range(size):
            i = a * size + r
            shares[i] = exp(preferences[i] - top[r])
    draw_by_weights(shares, total, rng, arm)
    for a in range(arms):
        for r in range(size):
            shares[a * size + r] /= total[r]
    total[:] = params[0]  # the step, for the learn hook


@propensity_hook
def gradient_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write the probability of each arm, in proportion to the weights of the choice."""
    write_shares(memory, 0, out)
