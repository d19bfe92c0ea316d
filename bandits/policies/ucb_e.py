"""UCB-E."""

from __future__ import annotations

import math

from bandits.arms.base import LARGEST
from bandits.policies.base import Policy
from bandits.rules import bonus_rule
from numerics.parameters import parameter


class UCBE(Policy, name="ucb_e"):
    """Optimism that never tires, to find the best arm within a fixed number of pulls."""

    a: float = parameter(
        2.0,
        low=0.0,
        most=LARGEST,
        help="Exploration, at least 0: proved for at most 25/36 (T - K) / H, where H is the sum of 1 / gap^2.",
    )
    source = "Audibert, Bubeck and Munos 2010, UCB-E"
    locks = True
    other_rewards = "proved for rewards in [0, 1]"
    unit_theory = True
    identifies = True

    @property
    def formula(self) -> str:
        return f"m + sqrt({self.a:g} / n)"


@bonus_rule
def ucb_e(t, a=2.0):
    """sqrt(a): Audibert, Bubeck and Munos, "Best arm identification", COLT 2010, figure 1."""
    return math.sqrt(a)
