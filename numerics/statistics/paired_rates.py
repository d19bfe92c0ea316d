"""Two rates over the same cases: their difference, its interval, and McNemar's exact test."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from numerics.statistics.scores import Scores

LEVEL = 0.05  # the chance that any of the compared intervals misses


def compare_rates(a: npt.NDArray[np.bool_], b: npt.NDArray[np.bool_], comparisons: int = 1) -> dict[str, Any]:
    """Return the difference of two rates over the same positions, its 95 % interval and its p-value.

    Parameters
    ----------
    a, b : arrays of bool
        Entry i of each tells whether it holds in position i.
    comparisons : int, default 1
        The number of differences compared jointly: with 95 % confidence none of their intervals misses (Bonferroni).
        The p-value is not adjusted.

    Examples
    --------
    >>> import numpy as np
    >>> rates = compare_rates(np.array([True] * 8 + [False] * 92), np.zeros(100, dtype=bool))
    >>> rates["difference"], round(rates["p_value"], 4), round(rates["difference_low"], 3)
    (0.08, 0.0078, 0.031)
    """
    from scipy.special import ndtri
    from scipy.stats import binomtest

    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    differences = a.astype(np.float64) - b.astype(np.float64)
    low, high = Scores([differences], limits=(-1.0, 1.0)).interval(float(ndtri(1.0 - LEVEL / comparisons / 2.0)))
    p_value = float(binomtest(only_a, only_a + only_b).pvalue) if only_a + only_b else 1.0
    return {
        "positions": a.size,
        "only_a": only_a,
        "only_b": only_b,
        "difference": (only_a - only_b) / a.size,
        "difference_low": low,
        "difference_high": high,
        "p_value": p_value,
    }
