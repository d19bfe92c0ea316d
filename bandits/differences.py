"""Paired differences of final regret: which policy is better, by how much, and how surely."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from numerics.statistics import means

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

    sum_a (best mean - mean_a) N_T(a), with the best mean of that replication's arms.
    """
    best = pulls.groupby(["policy", "run"], sort=False)["mean"].transform("max")
    regret = pulls[["policy", "run"]].assign(regret=(best - pulls["mean"]) * pulls["pulls"])
    order = list(dict.fromkeys(pulls["policy"]))
    return regret.groupby(["run", "policy"], sort=False)["regret"].sum().unstack("policy")[order].sort_index()


def paired_differences(pulls: pd.DataFrame) -> pd.DataFrame:
    """Compare every pair of policies of a `pulls` table; see `differences_of`."""
    return differences_of(final_regret(pulls))


def differences_of(finals: pd.DataFrame) -> pd.DataFrame:
    """Compare every pair of policies over replications with the same random numbers, by `final_regret`.

    Returns
    -------
    DataFrame
        A row for each pair: `difference_mean` is the final pseudo-regret of a minus that of b (negative: a is better),
        with its standard error, its interval and its p-value (the paired t-test corrected for skewness, see
        `numerics.statistics.means`). Intervals and `p_adjusted` hold for all pairs jointly by Bonferroni's inequality:
        with 95 % confidence no interval misses, and p_adjusted is below 0.05 where an interval excludes 0.
        `share_a_lower` is the share of replications in which a had the lower regret, equal regrets counting half. NaN
        for a single replication.
    """
    import pandas as pd

    pairs = list(combinations(finals.columns, 2))
    level = (1.0 - CONFIDENCE) / max(len(pairs), 1)
    rows = [
        {"policy_a": a, "policy_b": b, **_compare(finals[a].to_numpy(), finals[b].to_numpy(), 1.0 - level)}
        for a, b in pairs
    ]
    table = pd.DataFrame(rows)
    table["p_adjusted"] = (len(pairs) * table["p_value"]).clip(upper=1.0)
    return table[list(COLUMNS)]


def _compare(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64], confidence: float) -> dict[str, Any]:
    difference = a - b
    lower = float(np.mean((difference < 0) + 0.5 * (difference == 0)))
    row = {"runs": difference.size, "difference_mean": float(difference.mean()), "share_a_lower": lower}
    if difference.size < 2:
        return {**row, **dict.fromkeys(("difference_se", "ci_low", "ci_high", "p_value"), np.nan)}
    error, skew = means.standard_error(difference), means.skewness(difference)
    low, high = means.interval(difference.mean(), error, skew, difference.size, confidence)
    p_value = means.p_value(difference.mean(), error, skew, difference.size)
    return {
        **row,
        "difference_se": float(error),
        "ci_low": float(low),
        "ci_high": float(high),
        "p_value": float(p_value),
    }
