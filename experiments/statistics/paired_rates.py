"""Which of two rates over the same cases is higher: their difference, its interval, and McNemar's exact test.

The interval is that of Bonett and Price, Journal of Educational and Behavioral Statistics 37, 2012: one case is added
to both counts of cases in which only one of the two holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.statistics.intervals import NORMAL_95


def paired(a: npt.NDArray[np.bool_], b: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """Return the difference of two rates over the same positions, its 95 % interval and its p-value.

    Examples
    --------
    >>> import numpy as np
    >>> found = paired(np.array([True] * 8 + [False] * 92), np.zeros(100, dtype=bool))
    >>> found["difference"], round(found["p_value"], 4)
    (0.08, 0.0078)
    """
    from scipy.stats import binomtest

    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    count = a.size + 2
    up, down = (only_a + 1) / count, (only_b + 1) / count
    half = NORMAL_95 * float(np.sqrt((up + down - (up - down) ** 2) / count))
    p_value = float(binomtest(only_a, only_a + only_b).pvalue) if only_a + only_b else 1.0
    return {
        "positions": a.size, "only_a": only_a, "only_b": only_b, "difference": (only_a - only_b) / a.size,
        "difference_low": max(-1.0, up - down - half), "difference_high": min(1.0, up - down + half),
        "p_value": p_value,
    }  # fmt: skip
