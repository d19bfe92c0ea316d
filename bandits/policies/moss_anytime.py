"""MOSS without a horizon."""

from __future__ import annotations

import math
from typing import ClassVar

from bandits.arms.base import LARGEST
from bandits.policies.base import Policy
from bandits.rules import index_rule
from bandits.spec import PolicySpec
from numerics.kernels.elementary import ln
from numerics.parameters import parameter


class MOSSAnytime(Policy, name="moss_anytime"):
    """Minimax optimal at every T at once, for rewards in [0, 1]: MOSS with t for the horizon, and a larger bonus."""

    alpha: float = parameter(
        1.35,
        low=0.0,
        most=LARGEST,
        help="The bonus grows with sqrt((1 + alpha) / 2); at least 0. The theorem has 1.35; 1 is MOSS's bonus.",
    )
    source = "Degenne and Perchet 2016, MOSS-anytime"
    locks: ClassVar[bool | None] = False
    other_rewards = "proved"
    unit_theory = True

    @property
    def formula(self) -> str:
        return f"m + sqrt({(1 + self.alpha) / 2:g} max(0, ln(t / (K n))) / n)"

    def spec(self) -> PolicySpec:
        return PolicySpec(moss_anytime, (self.alpha,))


@index_rule
def moss_anytime(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """m + sqrt((1 + alpha) / 2 max(0, ln(t / (K n))) / n). params = [alpha].

    Degenne and Perchet, Anytime optimal algorithms in stochastic multi-armed bandits, ICML 2016.
    """
    share, half = t * rng.shape[0] / out.size, 0.5 * (1.0 + params[0])
    for i in range(out.size):
        level = ln(share / pulls[i])
        out[i] = means[i] + math.sqrt(half * (level if level > 0.0 else 0.0)) * widths[i]
