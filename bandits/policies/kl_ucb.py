"""KL-UCB."""

from __future__ import annotations

import math

from bandits.arms.base import LARGEST
from bandits.kernels.indices.kl_index import write_kl_indices
from bandits.policies.base import Policy
from bandits.rules import vector_rule
from numerics.parameters import parameter


class KLUCB(Policy, name="kl_ucb"):
    """The confidence bound of the Bernoulli likelihood, for rewards in [0, 1]; asymptotically optimal."""

    c: float = parameter(
        0.0, low=0.0, most=LARGEST, help="Factor of ln ln t, at least 0; the proof needs 3, the authors recommend 0."
    )
    source = "Garivier and Cappe 2011, KL-UCB"
    locks = False
    other_rewards = "proved"
    unit_rewards = True

    @property
    def formula(self) -> str:
        more = f" + {self.c:g} ln ln t" if self.c else ""
        return f"max q: n kl(m, q) <= ln t{more}"


@vector_rule
def kl_ucb(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """max{q : n kl(m, q) <= ln t + c ln ln t}: KL-UCB, Garivier and Cappe, COLT 2011. params = [c].

    Arms that cannot win get -inf (`bandits.kernels.indices.kl_index`).
    """
    level = math.log(t)
    if params[0] > 0.0 and level > 1.0:
        level += params[0] * math.log(level)
    out[:] = level
    write_kl_indices(pulls, means, widths, out, rng.shape[0])
