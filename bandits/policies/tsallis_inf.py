"""Tsallis-INF."""

from __future__ import annotations

import math

from bandits.kernels.indices.propensities import draw_by_weights, write_shares
from bandits.policies.base import Policy
from bandits.rules import choice_rule, learn_rule, propensity_hook
from numerics.kernels.pointers import at

_CHANCE, _FIRST = range(2)  # rows of the memory: chance of the pulled arm; K losses and K weights follow
_NEAR = 1e-7  # relative size of the last step: the next would be of the order of its square


class TsallisINF(Policy, name="tsallis_inf"):
    """Optimal against an adversary and, up to a constant, for random rewards too, in [0, 1]; no parameters."""

    source = "Zimmert and Seldin 2021, Tsallis-INF (alpha = 1/2, importance weighting)"
    locks = False
    other_rewards = "proved"
    unit_rewards = True
    formula = "arm a with probability p_a = t / (L_a - x)^2, x so that they sum to 1, L_a += (1 - r) / p_a"


@learn_rule
def tsallis_inf_learn(memory, arm, reward):
    """Add the loss, weighted by the inverse of the arm's probability."""
    for r in range(arm.size):
        memory[_FIRST + arm[r], r] += (1.0 - reward[r]) / memory[_CHANCE, r]


@choice_rule(memory=1, arm_memory=2, kept_rows=1, learn=tsallis_inf_learn, every_arm_first=False)
def tsallis_inf(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """Arm a with probability w_a = 4 / (eta_t (L_a - x))^2, eta_t = 2 / sqrt(t), x so that they sum to 1. params = [].

    Zimmert and Seldin, Tsallis-INF: an optimal algorithm for stochastic and adversarial bandits, JMLR 22 (2021),
    with alpha = 1/2 and importance weighting. With u = (min L - x) / sqrt(t) and d_a = (L_a - min L) / sqrt(t) it is
    w_a = (u + d_a)^-2. Newton's iteration is on (sum of w)^(-1/2) = 1, which is linear in u where all d are equal.
    """
    size = arm.size
    arms = means.size // size
    chance = memory[_CHANCE]
    losses = memory[_FIRST : _FIRST + arms].reshape(-1)
    weights = memory[_FIRST + arms :].reshape(-1)
    per_root = 1.0 / math.sqrt(t)
    for r in range(size):
        least = losses[r]
        for i in range(size + r, losses.size, size):
            least = min(least, losses[i])
        for i in range(r, losses.size, size):
            weights[i] = (losses[i] - least) * per_root
        u = 1.0
        for _ in range(50):
            squares, cubes = 0.0, 0.0
            for i in range(r, losses.size, size):
                inverse = 1.0 / (u + weights[i])
                squares += inverse * inverse
                cubes += inverse * inverse * inverse
            step = squares * (math.sqrt(squares) - 1.0) / cubes
            u += step
            if abs(step) < _NEAR * u:
                break
        for i in range(r, losses.size, size):
            inverse = 1.0 / (u + weights[i])
            weights[i] = inverse * inverse
    draw_by_weights(weights, chance, rng, arm)
    for r in range(size):
        chance[r] = weights[at(arm[r] * size + r)] / chance[r]


@propensity_hook
def tsallis_inf_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write the probability of each arm, in proportion to the weights of the choice."""
    write_shares(memory, _FIRST + out.size, out)
