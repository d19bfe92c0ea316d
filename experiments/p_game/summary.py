"""The failure rates of P-games, with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.statistics.intervals import wilson

if TYPE_CHECKING:
    import pandas as pd


def summary_of(failures: pd.DataFrame) -> pd.DataFrame:
    """Return the failure rate of each method after each number of iterations.

    Returns
    -------
    pandas.DataFrame
        branching, depth, method, iterations; trees, searches; rate, the mean failure over trees and runs, with the ends
        of its 95 % Wilson interval, in which only trees count as independent, so that it is wide where runs are many.
    """
    import pandas as pd

    rows = []
    keys = ["branching", "depth", "method", "iterations"]
    for key, own in failures.groupby(keys, sort=False):
        trees, rate = own["tree"].nunique(), float(own["failure"].mean())
        low, high = wilson(rate * trees, trees)
        named = dict(zip(keys, key if isinstance(key, tuple) else (key,), strict=True))
        rows.append({**named, "trees": trees, "searches": len(own), "rate": rate, "rate_low": low, "rate_high": high})
    return pd.DataFrame(rows)
