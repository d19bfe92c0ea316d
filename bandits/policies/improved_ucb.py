"""Improved UCB."""

from __future__ import annotations

import math

from bandits.policies.base import Policy
from bandits.rules import choice_rule


class ImprovedUCB(Policy, name="improved_ucb"):
    """Elimination in phases, each of half of the gap of the last, for rewards in [0, 1]. It knows the horizon."""

    source = "Auer and Ortner 2010, the improved UCB algorithm"
    locks = True
    other_rewards = "proved"
    unit_rewards = True
    formula = "phases d = 1, 1/2, 1/4, ...: of each arm left 2 ln(T d^2) / d^2 pulls, then those d below the best leave"


@choice_rule(memory=1, arm_memory=1, needs=("horizon",), every_arm_first=False)
def improved_ucb(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The first remaining arm with fewer than n_m pulls; without one, the next phase begins. params = [].

    Auer and Ortner, UCB revisited, Periodica Mathematica Hungarica 61 (2010). Phase m has the gap d_m = 2^-m and
    n_m = ceil(2 ln(T d_m^2) / d_m^2). It eliminates the arms with mean + w < max (mean - w), where w = sqrt(ln(T d_m^2)
    / (2 n_m)). The phases end at m = log2(T / e) / 2. After that, or with a single arm left, the remaining arms are
    pulled in turn. Row 0 of the memory holds m, the other rows whether an arm is eliminated.
    """
    size = arm.size
    arms = means.size // size
    last = math.floor(0.5 * math.log2(horizon / math.e)) if horizon > math.e else -1
    for r in range(size):
        while True:
            phase, left, fewest, best = memory[0, r], 0, -1, -math.inf
            for a in range(arms):
                if memory[1 + a, r] == 0.0:
                    i = a * size + r
                    left += 1
                    best = max(best, means[i])
                    fewest = a if fewest < 0 or pulls[i] < pulls[fewest * size + r] else fewest
            arm[r] = fewest
            if left == 1 or phase > last:
                break
            gap = 0.5**phase
            level = math.log(horizon * gap * gap)
            each = math.ceil(2.0 * level / (gap * gap))
            if pulls[fewest * size + r] < each:
                break
            width = math.sqrt(level / (2.0 * each))
            for a in range(arms):
                if means[a * size + r] + width < best - width:
                    memory[1 + a, r] = 1.0
            memory[0, r] += 1.0
