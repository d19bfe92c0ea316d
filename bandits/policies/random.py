"""Uniform play."""

from __future__ import annotations

from bandits.policies.base import Policy
from bandits.rules import choice_rule, index_rule
from numerics.random import next_uniform


class Random(Policy, name="random"):
    """Every arm with equal probability, for ever: the baseline of linear regret."""

    source = "uniform play"
    locks = False
    formula = "any arm, probability 1 / K"


@choice_rule(every_arm_first=False)
def random(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """Any arm, each with probability 1 / K. params = []."""
    arms = means.size // arm.size
    for r in range(arm.size):
        arm[r] = int(next_uniform(rng, r) * arms)


@index_rule(every_arm_first=False)
def random_chances(arms):
    """The probability of each arm: 1 / K."""
    return 1.0 / arms
