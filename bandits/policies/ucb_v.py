"""UCB-V."""

from __future__ import annotations

import math

from bandits.arms.base import LARGEST
from bandits.policies.base import Policy
from bandits.rules import index_rule
from numerics.parameters import parameter


class UCBV(Policy, name="ucb_v"):
    """A confidence bound that narrows with the measured variance, for rewards in [0, 1]."""

    zeta: float = parameter(1.0, low=0.0, above=True, most=LARGEST, help="Factor of ln t, above 0.")
    c: float = parameter(1.0, low=0.0, most=LARGEST, help="Factor of the last term, at least 0.")
    source = "Audibert, Munos and Szepesvari 2009, UCB-V"
    locks = False
    other_rewards = "proved"
    unit_rewards = True

    @property
    def formula(self) -> str:
        return f"m + sqrt({2 * self.zeta:g} V ln t / n) + {3 * self.c * self.zeta:g} ln t / n"


@index_rule
def ucb_v(mean, width, variance, t, zeta=1.0, c=1.0):
    """m + sqrt(2 zeta V ln t / n) + 3 c zeta ln t / n: UCB-V for rewards in [0, 1].

    Audibert, Munos and Szepesvari, Theoretical Computer Science 410 (2009), with exploration zeta ln t and b = 1.
    """
    level = zeta * math.log(t)
    return mean + (math.sqrt(2.0 * level) * math.sqrt(variance) + 3.0 * c * level * width) * width
