"""How far regret reaches, and for whom an interval of its mean has to reckon with what no replication shows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from bandits.arms.base import Arms
from bandits.locking import can_lock
from bandits.policies.base import Policy
from numerics.statistics import bounded, means
from numerics.statistics.means import Floats


def largest_regret(arms: Arms, horizon: int) -> float:
    """Return the largest possible pseudo-regret after `horizon` pulls, T times the largest gap; inf if there is none.

    Of means that are drawn anew in every replication, or change, the gap is at most the range of rewards.

    Examples
    --------
    >>> from bandits import Bernoulli, RandomGaussian
    >>> largest_regret(Bernoulli([0.25, 0.5]), 100), largest_regret(RandomGaussian(arms=3), 100)
    (25.0, inf)
    """
    return horizon * arms.largest_gap


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
        `largest_regret` if the policy can lock (`bandits.locking.can_lock`), or if that is unknown and the sample looks
        so (`numerics.statistics.bounded.rare_values`). A single replication has no interval.
    """
    if finals.size < 2:
        return math.nan
    largest = largest_regret(arms, horizon)
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
    "Student's t, corrected for skewness, or of greedy Gaffke's for bounded values, if wider"
    """
    which = [name for name, bound in bounds.items() if not math.isnan(bound)]
    if not which:
        return means.METHOD
    whose = "" if len(which) == len(bounds) else f"of {_named(which, most)} "
    return f"{means.METHOD}, or {whose}{bounded.METHOD}, if wider"


def _named(names: Sequence[str], most: int) -> str:
    return ", ".join(names[:most]) + f" and {len(names) - most} more" * (len(names) > most)
