"""How far regret reaches, and for whom an interval of its mean has to reckon with what no replication shows."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from bandits.arms.base import Arms
from bandits.arms.bernoulli import Bernoulli
from bandits.kernels import general
from bandits.kernels.arguments import Problem, Steps
from bandits.policies.base import Policy
from bandits.policies.custom import Custom
from bandits.replications import Replications
from numerics.kernels.addresses import address_of
from numerics.statistics import bounded, means
from numerics.statistics.means import Floats

_BEST, _OTHER, _UNLUCKY = 0.6, 0.3, 0.15  # means of two arms; what the best arm pays instead
_HORIZON, _RUNS, _SEED = 500, 64, 0
_LOST = 0.1  # pulls: settings whose intervals failed lost 0.14 or more; default epsilon_greedy, whose hold, loses 0.09
_LEFT = 0.1  # a smaller share of the second half of a replication says that the best arm is given up


def regret_bound(policy: Policy, arms: Arms, horizon: int, finals: Floats) -> float:
    """Return the bound that the interval of a policy's mean regret needs; NaN if it needs none.

    Parameters
    ----------
    policy, arms, horizon
        What is played.
    finals : float64[R]
        The final pseudo-regret of every replication.

    Returns
    -------
    float
        T times the largest gap if the policy can lock (`can_lock`), or if that is unknown and the sample looks
        so (`numerics.statistics.bounded.rare_values`). A single replication has no interval.
    """
    if finals.size < 2:
        return math.nan
    largest = horizon * arms.largest_gap
    known = can_lock(policy)
    locks = bounded.rare_values(finals, largest) if known is None else known
    return largest if locks else math.nan


def methods(bounds: Mapping[str, float], most: int = 3) -> str:
    """Return the names of the intervals of some policies, by their `regret_bound`.

    Examples
    --------
    >>> methods({"ucb": math.nan})
    "Student's t, corrected for skewness"
    >>> methods({"ucb": math.nan, "greedy": 80.0})
    "Student's t, corrected for skewness; for greedy, Gaffke's for bounded values if wider"
    """
    which = [name for name, bound in bounds.items() if not math.isnan(bound)]
    if not which:
        return means.METHOD
    named = ", ".join(which[:most]) + f" and {len(which) - most} more" * (len(which) > most)
    if len(which) == len(bounds):
        return f"{means.METHOD}, or {bounded.METHOD} if wider"
    return f"{means.METHOD}; for {named}, {bounded.METHOD} if wider"


def can_lock(policy: Policy) -> bool | None:
    """Return whether a replication can stop trying the best arm, if only rarely and for long: it loses T times a gap.

    Then the interval of the mean regret is that of `numerics.statistics.bounded`. None where it is unknown: then the
    replications are looked at.

    What a policy's class says (`Policy.locks`) holds for its defaults. With other parameters, the policy is also played
    on Bernoulli arms with means 0.6 and 0.3. It can lock if the replications that give up the best arm lose at least
    0.1 pulls on average. Such replications may be one in 5,000. So the best arm pays 0.15 on average, and each
    replication is weighted with the likelihood ratio of its rewards (importance sampling). Rules of the user, and
    policies that see features or are defined for few bandits, are not played.

    Examples
    --------
    >>> from bandits import AsymptoticUCB, Greedy
    >>> can_lock(Greedy()), can_lock(AsymptoticUCB()), can_lock(AsymptoticUCB(c=0.2))
    (True, False, True)
    """
    locks = policy.locks
    if locks or isinstance(policy, Custom) or policy.needs_features or policy.limits or policy == type(policy)():
        return locks
    return True if pulls_lost(policy) > _LOST else locks


@functools.lru_cache(maxsize=256)
def pulls_lost(policy: Policy) -> float:
    """Return how many of 500 pulls replications that give up the better of two arms lose, on average over all.

    Examples
    --------
    >>> from bandits import Greedy, UCB
    >>> pulls_lost(UCB()) < 1e-6, pulls_lost(Greedy()) > 50.0
    (True, True)
    """
    spec, arms = policy.spec(), Bernoulli([_BEST, _OTHER])
    played = Replications.room(np.array([_HORIZON]), 0, _RUNS, 2, alarms=policy.alarms)
    played.means[:] = _UNLUCKY, _OTHER
    problem = Problem(played.means, arms.law_params, played.checkpoints)
    streams, record = played.streams(_SEED), played.record(_SEED, policy.by_pulls)
    steps = Steps.room(_RUNS, 0, _HORIZON, 0)
    play: Any = general.play
    play(
        spec.addresses(),
        address_of(arms.reward_law.compiled),
        spec.kernel_spec(_HORIZON, 2),
        problem,
        streams,
        record,
        steps,
        _RUNS,
    )
    of_best, paid = steps.arm.reshape(_RUNS, -1) == 0, steps.reward.reshape(_RUNS, -1) == 1.0
    won, lost = (of_best & paid).sum(axis=1), (of_best & ~paid).sum(axis=1)
    ratio = np.exp(won * math.log(_BEST / _UNLUCKY) + lost * math.log((1.0 - _BEST) / (1.0 - _UNLUCKY)))
    given_up = of_best[:, _HORIZON // 2 :].mean(axis=1) < _LEFT
    return float(_HORIZON * (ratio * given_up).mean())
