"""MOSS."""

from __future__ import annotations

import math

from bandits.policies.base import Policy
from bandits.rules import index_rule


class MOSS(Policy, name="moss"):
    """Minimax optimal for rewards in [0, 1]: the bonus of an arm ends after its share T / K. It knows the horizon."""

    source = "Audibert and Bubeck 2009, the policy MOSS"
    locks = False
    other_rewards = "proved"
    unit_theory = True
    formula = "m + sqrt(max(0, ln(T / (K n))) / n)"


@index_rule
def moss(mean, width, pulls, horizon, arms):
    """m + sqrt(max(0, ln(T / (K n))) / n): MOSS, Audibert and Bubeck, COLT 2009."""
    share = horizon / arms
    return mean + math.sqrt(math.log(share / pulls)) * width if pulls < share else mean
