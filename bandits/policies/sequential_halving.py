"""Sequential halving."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bandits.policies.base import Policy
from bandits.rules import vector_rule
from bandits.spec import PolicySpec


class SequentialHalving(Policy, name="sequential_halving"):
    """Rounds of equal pulls, each of which drops the worse half of the arms: a plan for the whole horizon."""

    source = (
        "Karnin, Koren and Somekh 2013, figure 1, with means over all rewards; "
        "as an index Danihelka, Guez, Schrittwieser and Silver 2022"
    )
    locks = True
    by_pulls = True
    identifies = True
    formula = "argmax m among the arms of exactly plan[t] pulls; ceil(log2 K) rounds, each drops half of the arms"

    def spec(self) -> PolicySpec:
        return PolicySpec(score_by_plan, plan=halving_plan)


def halving_plan(horizon: int, arms: int, *, odd_one_stays: bool = True) -> npt.NDArray[np.float64]:
    """Return how many pulls an arm must have to be pulled at each t, float64[T]: halving.

    Each of ceil(log2 K) rounds has an equal share of the pulls, and shares it equally among the arms that are left.
    After the last round, and where the horizon is too short, it begins again with the arms that are left. Of an odd
    number of arms the middle one stays, or is dropped too, as mctx has it.

    Examples
    --------
    >>> halving_plan(12, 4).astype(int).tolist()
    [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    >>> halving_plan(14, 7, odd_one_stays=False).astype(int).tolist()
    [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3]
    """
    rounds, left, had, plan = max(1, math.ceil(math.log2(arms))), arms, 0, np.empty(0)
    while plan.size < horizon:
        each = max(1, horizon // (rounds * left))
        plan = np.concatenate([plan, np.repeat(np.arange(had, had + each, dtype=np.float64), left)])
        had, left = had + each, max(2, (left + odd_one_stays) // 2)
    return plan[:horizon]


@vector_rule(every_arm_first=False)
def score_by_plan(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """The mean of an arm of exactly params[t - 1] pulls, else -inf. params is the plan, float64[T]."""
    wanted = params[int(t) - 1]
    for i in range(out.size):
        out[i] = means[i] if pulls[i] == wanted else -math.inf
