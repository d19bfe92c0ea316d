"""Paired differences of final regret: which policy is better, by how much, and how surely."""

from __future__ import annotations

import math
from collections.abc import Collection
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from numerics.statistics import means
from numerics.statistics.bounded import mean_interval, mean_p_value, rare_values

if TYPE_CHECKING:
    import pandas as pd

CONFIDENCE = 0.95
COLUMNS = (
    "policy_a",
    "policy_b",
    "runs",
    "difference_mean",
    "difference_se",
    "ci_low",
    "ci_high",
    "p_value",
    "p_adjusted",
    "share_a_lower",
)


def final_regret(pulls: pd.DataFrame) -> pd.DataFrame:
    """Return the pseudo-regret of every replication (rows) under every policy (columns), from a `pulls` table.

    It is sum_a (best mean - mean_a) N_T(a), with the best mean of the replication's arms. For arms that change, it is
    the dynamic regret, the sum of the column `regret`.
    """
    if "regret" in pulls:
        regret = pulls[["policy", "run", "regret"]]
    else:
        best = pulls.groupby(["policy", "run"], sort=False)["mean"].transform("max")
        regret = pulls[["policy", "run"]].assign(regret=(best - pulls["mean"]) * pulls["pulls"])
    order = list(dict.fromkeys(pulls["policy"]))
    return regret.groupby(["run", "policy"], sort=False)["regret"].sum().unstack("policy")[order].sort_index()


def paired_differences(pulls: pd.DataFrame, locked: Collection[str] = (), largest: float | None = None) -> pd.DataFrame:
    """Compare every pair of policies of a `pulls` table; see `differences_of`.

    Without `largest`, it is the largest gap of these arms times the pulls of a replication.
    """
    if largest is None:
        arms = pulls.groupby(["policy", "run"], sort=False)
        means_of = arms["mean"]
        largest = float(((means_of.max() - means_of.min()) * arms["pulls"].sum()).max())
    return differences_of(final_regret(pulls), locked, largest)


def differences_of(finals: pd.DataFrame, locked: Collection[str] = (), largest: float = math.inf) -> pd.DataFrame:
    """Compare every pair of policies over replications with the same random numbers, by `final_regret`.

    Parameters
    ----------
    finals : DataFrame
        The final pseudo-regret of every replication (rows) under every policy (columns).
    locked : collection of str
        The policies that can stop trying the best arm for ever; those whose sample looks so need not be named.
    largest : float, default inf
        The largest possible regret: the pulls times the largest gap of the arms.

    Returns
    -------
    DataFrame
        A row for each pair, none for a single policy. `difference_mean` is the final pseudo-regret of a minus that of
        b, so that a negative value favours a. Its standard error, interval and p-value follow. The p-value is that of
        the paired t-test corrected for skewness. On the side where a policy can have rare, large losses, it is that of
        the test for bounded values (`numerics.statistics.bounded`). Intervals and `p_adjusted` hold for all pairs
        jointly by Bonferroni's inequality. With 95 % confidence all intervals hold, and p_adjusted is below 0.05 if an
        interval excludes 0. `share_a_lower` is the share of replications in which a had the lower regret, equal regrets
        counting half. NaN for a single replication.
    """
    import pandas as pd

    pairs = list(combinations(finals.columns, 2))
    level = (1.0 - CONFIDENCE) / max(len(pairs), 1)
    rare = {name: name in locked or rare_values(finals[name].to_numpy(), largest) for name in finals.columns}
    rows = [
        {"policy_a": a, "policy_b": b, **_compare((finals[a], finals[b]), (rare[a], rare[b]), largest, 1.0 - level)}
        for a, b in pairs
    ]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    table["p_adjusted"] = (len(pairs) * table["p_value"]).clip(upper=1.0)
    return table


def _compare(
    regrets: tuple[pd.Series, pd.Series], rare: tuple[bool, bool], largest: float, confidence: float
) -> dict[str, Any]:
    """Return how two policies differ; what is rare with a may lie far above, what is rare with b far below."""
    difference = regrets[0].to_numpy(np.float64) - regrets[1].to_numpy(np.float64)
    above, below = (largest if far or not np.ptp(difference) else math.nan for far in rare)
    lower = float(np.mean((difference < 0) + 0.5 * (difference == 0)))
    row = {"runs": difference.size, "difference_mean": float(difference.mean()), "share_a_lower": lower}
    if difference.size < 2:
        return {**row, **dict.fromkeys(("difference_se", "ci_low", "ci_high", "p_value"), np.nan)}
    low, high = mean_interval(difference, -below, above, confidence)
    return {
        **row,
        "difference_se": float(means.standard_error(difference)),
        "ci_low": float(low),
        "ci_high": float(high),
        "p_value": mean_p_value(difference, -below, above),
    }
