"""Whether a policy can lock on a worse arm, found from how it plays."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from bandits.arms.bernoulli import Bernoulli
from bandits.kernels import general
from bandits.kernels.arguments import Problem, Steps
from bandits.policies.base import Policy
from bandits.policies.custom import Custom
from bandits.replications import Replications

_BEST, _OTHER, _UNLUCKY = 0.6, 0.3, 0.15  # means of two arms; what the best arm pays instead
_HORIZON, _RUNS, _SEED = 500, 64, 0
_LOST = 0.1  # pulls: policies that lock lose 0.14 or more, others 0.03 or fewer
_LEFT = 0.1  # a smaller share of the second half of a replication says that the best arm is given up


def can_lock(policy: Policy) -> bool | None:
    """Return whether a replication can stop trying the best arm, if only rarely and for long: it loses T times a gap.

    Then the interval of the mean regret is that of `numerics.statistics.bounded`. None where it is unknown: then the
    replications are looked at.

    What a policy's class says (`Policy.can_lock`) holds for its defaults. With other parameters it is played too: on
    Bernoulli arms of means 0.6 and 0.3 it can lock if the replications that give up the best arm lose 0.1 pulls or more
    on average. Such replications may be one in 5,000. So the best arm pays 0.15 on average, and each replication is
    weighted with the likelihood ratio of its rewards (importance sampling). Rules of the user, and policies that see
    features or are defined for few bandits, are not played.

    Examples
    --------
    >>> from bandits import AsymptoticUCB, Greedy
    >>> can_lock(Greedy()), can_lock(AsymptoticUCB()), can_lock(AsymptoticUCB(c=0.2))
    (True, False, True)
    """
    said = policy.can_lock
    if said or isinstance(policy, Custom) or policy.needs_features or policy.limits or policy == type(policy)():
        return said
    return True if pulls_lost(policy) > _LOST else said


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
    problem = Problem.still(played.means, arms.law_params, played.checkpoints)
    streams, record = played.streams(_SEED), played.record(_SEED, policy.by_pulls)
    steps, play = Steps.room(_RUNS, 0, _HORIZON, 0), general.play
    rule: Any = play
    rule(
        *spec.compiled(),
        arms.reward_law.compiled,
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
