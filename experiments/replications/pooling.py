"""Runs that differ in nothing but the seed, put together as one of all their replications."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from numerics.statistics.means import interval, skewness_of

if TYPE_CHECKING:
    import pandas as pd

_OF_A_MEAN = ("_se", "_skewness", "_low", "_high")  # columns that are made anew with the mean's


def pooled(table: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return one row for each combination of `keys`, such as policy and t, where runs of several seeds have one each.

    Means, their standard errors and intervals are those of all replications together, exactly. The quantiles of curves
    are the averages of the runs' own, because a run keeps no more of its curves.

    Parameters
    ----------
    table : pandas.DataFrame
        With a column `runs`, the replications of each row; pairs of columns `..._mean` and `..._se`, or with
        `..._skewness`, `..._low` and `..._high`; other numbers, which are averaged; and texts, of which the first
        stays.
    keys : sequence of str
        What makes rows one.
    """
    if not table.duplicated(list(keys)).any():
        return table
    groups = table.groupby(list(keys), sort=False)
    runs = table["runs"]
    total = groups["runs"].transform("sum")
    found = table.copy()

    def over_runs(values: Any) -> Any:
        return values.groupby([table[key] for key in keys], sort=False).transform("sum")

    for name in table.columns:
        if name in (*keys, "runs", "horizon") or table[name].dtype.kind not in "fiu" or name.endswith(_OF_A_MEAN):
            continue
        found[name] = over_runs(table[name] * runs / total)
        whole = name.removesuffix("_mean")
        if name.endswith("_mean") and f"{whole}_se" in table:
            off, variance = table[name] - found[name], (runs - 1) * table[f"{whole}_se"].fillna(0.0) ** 2
            squares = over_runs(runs * (variance + off**2))
            found[f"{whole}_se"] = error = np.sqrt(squares / (total - 1) / total)
            if f"{whole}_skewness" in table:
                biased = table[f"{whole}_skewness"] * (runs - 2) / np.sqrt(runs * np.maximum(runs - 1, 1))
                cubes = over_runs(runs * (biased * variance**1.5 + 3.0 * off * variance + off**3))
                found[f"{whole}_skewness"] = skew = skewness_of(cubes / total, squares / total, total)
                found[f"{whole}_low"], found[f"{whole}_high"] = interval(found[name], error, skew, total)
    found["runs"] = total
    kept: pd.DataFrame = found.drop_duplicates(list(keys)).reset_index(drop=True)
    return kept


def numbered_through(pulls: pd.DataFrame, part: str) -> pd.DataFrame:
    """Return pull counts whose replications are numbered through over the parts of a policy, without that column."""
    import pandas as pd

    parts: list[Any] = []
    for _, own in pulls.groupby("policy", sort=False):
        first = 0
        for _, one in own.groupby(part, sort=False):
            parts.append(one.assign(run=one["run"] - one["run"].min() + first))
            first += int(one["run"].nunique())
    whole: pd.DataFrame = pd.concat(parts, ignore_index=True).drop(columns=part)
    return whole
