"""UCB with a bonus that grows as a power of t."""

from __future__ import annotations

import math

from bandits.arms.base import LARGEST
from bandits.policies.base import Policy
from bandits.rules import bonus_rule
from numerics.parameters import parameter


class Polynomial(Policy, name="polynomial"):
    """A bonus t^(1/4) / sqrt(n): what the theory of tree search wants, where an arm's rewards drift as it is pulled.

    The theory has beta^(1/xi) t^(alpha/xi) / n^(1 - eta), where alpha / xi = eta (1 - eta); eta = 1/2 gives the powers
    1/4 and 1/2. The factor beta^(1/xi) depends on how fast the values below a move settle and has no number: the
    default 1 is ours. At c = 1 it explores a stationary bandit much more than UCB1 does.
    """

    c: float = parameter(1.0, low=0.0, most=LARGEST, help="Factor of the exploration term, at least 0.")
    source = "Shah, Xie and Xu 2022, the bonus of their MCTS at eta = 1/2; the default of c is ours"
    locks = False

    @property
    def formula(self) -> str:
        return f"m + {self.c:g} t^(1/4) / sqrt(n)"


@bonus_rule
def polynomial(t, c=1.0):
    """c t^(1/4): Shah, Xie and Xu, Operations Research 70 (2022), the bonus at eta = 1/2."""
    return c * math.sqrt(math.sqrt(t))
