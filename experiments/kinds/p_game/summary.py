"""The failure rates of P-games, with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numerics.statistics.scores import Scores

if TYPE_CHECKING:
    import pandas as pd


def summary_of(failures: pd.DataFrame) -> pd.DataFrame:
    """Return the failure rate of each method after each number of iterations.

    Returns
    -------
    pandas.DataFrame
        branching, depth, method, iterations; trees, searches; rate, the mean failure over trees and runs, with the ends
        of its 95 % interval (`numerics.statistics.scores`), for which a tree with all its runs is one observation.
    """
    import pandas as pd

    rows = []
    keys = ["branching", "depth", "method", "iterations"]
    for key, own in failures.groupby(keys, sort=False):
        failures_of = own.groupby("tree")["failure"].mean().to_numpy(np.float64)
        trees, rate = failures_of.size, float(failures_of.mean())
        low, high = Scores([failures_of]).interval()
        named = dict(zip(keys, key if isinstance(key, tuple) else (key,), strict=True))
        rows.append({**named, "trees": trees, "searches": len(own), "rate": rate, "rate_low": low, "rate_high": high})
    return pd.DataFrame(rows)
