"""Successive rejects."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bandits.policies.base import Policy
from bandits.policies.sequential_halving import score_by_plan
from bandits.spec import PolicySpec


class SuccessiveRejects(Policy, name="successive_rejects"):
    """Phases of equal pulls, each of which drops the worst arm: a plan for the whole horizon."""

    source = "Audibert, Bubeck and Munos 2010, figure 3"
    locks = True
    by_pulls = True
    identifies = True
    formula = "argmax m among the arms of exactly plan[t] pulls; K - 1 phases, each drops one arm"

    def spec(self) -> PolicySpec:
        return PolicySpec(score_by_plan, plan=rejects_plan)


def rejects_plan(horizon: int, arms: int) -> npt.NDArray[np.float64]:
    """Return how many pulls an arm must have to be pulled at each t, float64[T]: successive rejects.

    After phase k = 1 ... K - 1 each arm that is left has n_k = ceil((T - K) / (L (K + 1 - k))) pulls, where
    L = 1/2 + 1/2 + 1/3 + ... + 1/K; a horizon of fewer than K pulls ends in the first phase.

    Examples
    --------
    >>> rejects_plan(12, 3).astype(int).tolist()
    [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4]
    """
    logarithm = 0.5 + sum(1.0 / k for k in range(2, arms + 1))
    had, plan = 0, np.empty(0)
    for left in range(arms, 1, -1):
        upto = max(1, math.ceil((horizon - arms) / (logarithm * left)))
        plan = np.concatenate([plan, np.repeat(np.arange(had, upto, dtype=np.float64), left)])
        had = upto
    while plan.size < horizon:  # what rounding leaves goes to the last two arms
        plan, had = np.concatenate([plan, np.full(2, float(had))]), had + 1
    return plan[:horizon]
