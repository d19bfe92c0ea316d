"""Quantiles of a law from a sample, with intervals that suppose nothing of the law."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from numerics import checks


def quantile_interval(values: npt.ArrayLike, share: float, level: float = 0.05) -> tuple[float, float, float]:
    """Return a quantile of the values, and the ends of an interval of the law's quantile.

    The ends are two of the values in order, by the binomial law of how many of them lie below the quantile: David and
    Nagaraja, "Order Statistics", 2003, section 7.1. They cover the quantile of every law at least as often as they say,
    with steps too.

    Parameters
    ----------
    values : array_like
        At least one number.
    share : float
        The quantile, in (0, 1).
    level : float, default 0.05
        Upper bound on the chance that the interval misses.

    Returns
    -------
    quantile, low, high : float
        The smallest value that is not below `share` of the values; an end is infinite where the values are too few.

    Raises
    ------
    ValueError
        No value, or a number out of its range.

    Examples
    --------
    >>> quantile_interval(range(1, 101), 0.5)
    (50.0, 40.0, 61.0)
    >>> quantile_interval(range(1, 21), 0.95)
    (19.0, 17.0, inf)
    """
    from scipy.special import bdtr

    ordered = np.sort(np.asarray(values, dtype=np.float64), axis=None)
    if ordered.size == 0:
        raise ValueError("values must have at least one number; got none")
    share, level = checks.number("share", share, 0.0, 1.0), checks.number("level", level, 0.0, 1.0)
    n = ordered.size
    at_most = bdtr(np.arange(n + 1.0), n, share)  # P(so many or fewer values lie below the quantile)
    first = int(np.searchsorted(at_most, level / 2.0))  # the smallest number that is not too improbable
    last = int(np.searchsorted(at_most, 1.0 - level / 2.0)) + 1
    low = float(ordered[first - 1]) if first > 0 else -math.inf
    high = float(ordered[last - 1]) if last <= n else math.inf
    return float(ordered[max(0, math.ceil(share * n) - 1)]), low, high
