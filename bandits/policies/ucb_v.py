"""UCB-V."""

from __future__ import annotations

import math
from typing import ClassVar

from bandits.arms.base import LARGEST
from bandits.policies.base import Policy
from bandits.rules import index_rule
from bandits.spec import PolicySpec
from numerics.parameters import parameter


class UCBV(Policy, name="ucb_v"):
    """A confidence bound that narrows with the measured variance, for rewards in [0, 1]."""

    zeta: float = parameter(1.0, low=0.0, above=True, most=LARGEST, help="Factor of ln t, above 0.")
    c: float = parameter(1.0, low=0.0, most=LARGEST, help="Factor of the last term, at least 0.")
    source = "Audibert, Munos and Szepesvari 2009, UCB-V"
    locks: ClassVar[bool | None] = False
    other_rewards = "proved"
    unit_rewards = True

    @property
    def formula(self) -> str:
        return f"m + sqrt({2 * self.zeta:g} V ln t / n) + {3 * self.c * self.zeta:g} ln t / n"

    def spec(self) -> PolicySpec:
        return PolicySpec(ucb_v, (self.zeta, self.c))


@index_rule(needs=("variances",))
def ucb_v(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """m + sqrt(2 zeta V ln t / n) + 3 c zeta ln t / n: UCB-V for rewards in [0, 1]. params = [zeta, c].

    Audibert, Munos and Szepesvari, Theoretical Computer Science 410 (2009), with exploration zeta ln t and b = 1.
    """
    e = params[0] * math.log(t)
    spread, bias = math.sqrt(2.0 * e), 3.0 * params[1] * e
    for i in range(out.size):
        w = widths[i]
        out[i] = means[i] + (spread * math.sqrt(variances[i]) + bias * w) * w
