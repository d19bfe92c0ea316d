"""UCB1."""

from __future__ import annotations

import math

from bandits.arms.base import LARGEST
from bandits.policies.base import Policy, root_two
from bandits.rules import bonus_rule
from numerics.parameters import parameter


class UCB(Policy, name="ucb"):
    """Optimism by a confidence bound: m + c sqrt(ln t / n); at c = sqrt(2) proved for rewards in [0, 1]."""

    c: float = parameter(
        math.sqrt(2.0),
        low=0.0,
        most=LARGEST,
        help="Factor of the exploration term, at least 0; sqrt(2) is the UCB1 of Auer et al.",
    )
    source = "Auer, Cesa-Bianchi and Fischer 2002, figure 1"
    locks = False
    other_rewards = "proved"
    unit_theory = True

    @property
    def formula(self) -> str:
        return f"m + {root_two(self.c)} sqrt(ln t / n)"


@bonus_rule
def ucb(t, c=2.0**0.5):
    """c sqrt(ln t): UCB1, Auer, Cesa-Bianchi and Fischer 2002, figure 1, with c = sqrt(2)."""
    return c * math.sqrt(math.log(t))
