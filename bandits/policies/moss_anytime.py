"""MOSS without a horizon."""

from __future__ import annotations

import math

from bandits.arms.base import LARGEST
from bandits.policies.base import Policy
from bandits.rules import index_rule
from numerics.kernels.elementary import ln
from numerics.parameters import parameter


class MOSSAnytime(Policy, name="moss_anytime"):
    """Minimax optimal at every T at once, for rewards in [0, 1]: MOSS with t for the horizon, and a larger bonus."""

    alpha: float = parameter(
        1.35,
        low=0.0,
        most=LARGEST,
        help="The bonus is proportional to sqrt((1 + alpha) / 2); at least 0. The theorem uses 1.35; MOSS uses 1.",
    )
    source = "Degenne and Perchet 2016, MOSS-anytime"
    locks = False
    other_rewards = "proved"
    unit_theory = True

    @property
    def formula(self) -> str:
        return f"m + sqrt({(1 + self.alpha) / 2:g} max(0, ln(t / (K n))) / n)"


@index_rule
def moss_anytime(mean, width, pulls, t, arms, alpha=1.35):
    """m + sqrt((1 + alpha) / 2 max(0, ln(t / (K n))) / n).

    Degenne and Perchet, Anytime optimal algorithms in stochastic multi-armed bandits, ICML 2016.
    """
    level = ln(t / arms / pulls)
    return mean + math.sqrt(0.5 * (1.0 + alpha) * (level if level > 0.0 else 0.0)) * width
