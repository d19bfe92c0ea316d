"""Runs that differ in nothing but the seed, put together as one of all their replications."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def pooled(table: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return one row for each combination of `keys`, such as policy and t, where runs of several seeds have one each.

    Means and their standard errors are those of all replications together, exactly. The quantiles of curves are the
    averages of the runs' own, because a run keeps no more of its curves.

    Parameters
    ----------
    table : pandas.DataFrame
        With a column `runs`, the replications of each row; pairs of columns `..._mean` and `..._se`; other numbers,
        which are averaged; and texts, of which the first stays.
    keys : sequence of str
        What makes rows one.
    """
    if not table.duplicated(list(keys)).any():
        return table
    groups = table.groupby(list(keys), sort=False)
    runs = table["runs"]
    total = groups["runs"].transform("sum")
    found = table.copy()
    for name in table.columns:
        if name in (*keys, "runs", "horizon") or table[name].dtype.kind not in "fiu" or name.endswith("_se"):
            continue
        found[name] = (table[name] * runs / total).groupby([table[key] for key in keys], sort=False).transform("sum")
        error = f"{name.removesuffix('_mean')}_se"
        if name.endswith("_mean") and error in table:
            squares = (runs - 1) * np.nan_to_num(table[error]) ** 2 * runs + runs * (table[name] - found[name]) ** 2
            within = squares.groupby([table[key] for key in keys], sort=False).transform("sum")
            found[error] = np.sqrt(within / (total - 1) / total)
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
