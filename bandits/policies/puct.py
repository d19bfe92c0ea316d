"""PUCT, the rule of AlphaGo Zero."""

from __future__ import annotations

import math

from bandits.arms.base import LARGEST
from bandits.kernels.arguments import Estimates
from bandits.policies.base import Policy
from bandits.rules import index_rule
from bandits.spec import PolicySpec
from numerics.parameters import parameter


class PUCT(Policy, name="puct"):
    """A bonus in proportion to a prior probability of each arm: m + c P sqrt(t - 1) / (1 + n).

    Without anything known beforehand P = 1 / K; a search can be given a prior of its game's or of yours.
    """

    c: float = parameter(
        1.0,
        low=0.0,
        most=LARGEST,
        help="Factor of the exploration term, at least 0, for rewards in [0, 1]; double it for rewards in [-1, 1].",
    )
    initial: float = parameter(
        0.5,
        most=LARGEST,
        help="An arm's estimate before its first pull; 1/2 is a draw.",
    )
    source = "Silver et al. 2017, methods; Rosin 2011"

    @property
    def formula(self) -> str:
        return f"m + {self.c:g} P sqrt(t - 1) / (1 + n), P = 1 / K unless given, m = {self.initial:g} at first"

    def spec(self) -> PolicySpec:
        return PolicySpec(puct, (self.c,), estimates=Estimates(0, initial=self.initial))


@index_rule(every_arm_first=False)
def puct(mean, pulls, prior, t, c=1.0):
    """m + c P sqrt(t - 1) / (1 + n), P the arm's prior: PUCT.

    Silver et al., "Mastering the game of Go without human knowledge", Nature 550 (2017), methods, section "Select".
    There t - 1 is the sum of the visits of all actions. The rule is derived from Rosin, "Multi-armed bandits with
    episode context", Annals of Mathematics and Artificial Intelligence 61 (2011).
    """
    return mean + c * math.sqrt(t - 1.0) * prior / (1.0 + pulls)
