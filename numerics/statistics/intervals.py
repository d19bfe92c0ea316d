"""Intervals of a rate, Wilson's and the exact ones of Clopper and Pearson, and of a quantile by the same law."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

NORMAL_95 = 1.959963984540054  # the 0.975 quantile of the normal law: standard errors on either side of a mean

Floats = npt.NDArray[np.float64]


def wilson(score: float, games: float, z: float = NORMAL_95) -> tuple[float, float]:
    """Return the Wilson interval of a rate, corrected for continuity.

    It covers every rate at least about as often as it says. At 95 %, no rate is covered in less than 94.8 % of samples
    of any size. Without the correction, the coverage of rates near 0 and 1 falls to 83 %. For scores other than 0 and
    1, such as those of games with draws, it is wider than necessary. `numerics.statistics.scores` has a better
    interval.

    Parameters
    ----------
    score : float
        Successes, from 0 to `games`.
    games : float
        Trials; without any the interval is (0, 1).
    z : float, default 1.96
        Standard errors; 1.96 for 95 %.

    Returns
    -------
    low, high : float
        Method 4 of Newcombe, "Two-sided confidence intervals for the single proportion: comparison of seven methods",
        Statistics in Medicine 17 (1998).

    Examples
    --------
    >>> low, high = wilson(45.5, 50)
    >>> round(low, 3), round(high, 3)
    (0.786, 0.968)
    """
    if games == 0:
        return 0.0, 1.0
    low, high = wilson_ends(score / games, games, z)
    return float(low), float(high)


def wilson_ends(rate: npt.ArrayLike, games: npt.ArrayLike, z: float = NORMAL_95) -> tuple[Floats, Floats]:
    """Return the ends of `wilson` for arrays of rates and of numbers of trials above 0.

    Examples
    --------
    >>> [ends.round(2).tolist() for ends in wilson_ends([0.0, 0.5], 20)]
    [[0.0, 0.28], [0.2, 0.72]]
    """
    p, n = np.asarray(rate, dtype=np.float64), np.asarray(games, dtype=np.float64)
    lows = []
    for share in (p, 1.0 - p):  # the upper end is 1 minus the lower end of the failures
        root = np.sqrt(np.maximum(0.0, z * z - 2.0 - 1.0 / n + 4.0 * share * (n * (1.0 - share) + 1.0)))
        low = (2.0 * n * share + z * z - 1.0 - z * root) / (2.0 * (n + z * z))
        # Half a success is within the correction of none; min, because rounding could miss the rate.
        lows.append(np.where(n * share <= 0.5, 0.0, np.minimum(share, np.maximum(0.0, low))))
    return lows[0], np.maximum(p, 1.0 - lows[1])


def clopper_pearson(won: npt.ArrayLike, of: npt.ArrayLike, level: float = 0.05) -> tuple[Floats, Floats]:
    """Return the ends of the exact interval of a rate, which covers every rate at least as often as it says.

    Parameters
    ----------
    won, of : array_like
        Successes and trials, whole numbers of the same shape; without trials the interval is (0, 1).
    level : float, default 0.05
        Upper bound on the chance that an interval misses.

    Returns
    -------
    low, high : float64 of that shape
        Quantiles of Beta laws: Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case
        of the binomial", Biometrika 26 (1934).

    Examples
    --------
    >>> [round(float(end), 4) for end in clopper_pearson(4, 272)]
    [0.004, 0.0372]
    """
    from scipy.special import betaincinv

    successes, trials = np.asarray(won, dtype=np.float64), np.asarray(of, dtype=np.float64)
    lost = trials - successes
    low = np.where(successes == 0.0, 0.0, betaincinv(np.maximum(successes, 1.0), lost + 1.0, level / 2.0))
    high = np.where(lost == 0.0, 1.0, betaincinv(successes + 1.0, np.maximum(lost, 1.0), 1.0 - level / 2.0))
    return low, high


def quantile_interval(values: npt.ArrayLike, share: float, level: float = 0.05) -> tuple[float, float, float]:
    """Return a quantile of the values, and the ends of an interval of the law's quantile.

    The ends are two order statistics. They follow from the binomial law of the number of values below the quantile
    (David and Nagaraja, "Order Statistics", 2003, section 7.1). They cover the quantile of every law, also with steps,
    at least at the nominal rate.

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
        No value, or a share outside (0, 1).

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
    if not 0.0 < share < 1.0:
        raise ValueError(f"share must be above 0 and below 1; got {share}")
    n = ordered.size
    at_most = bdtr(np.arange(n + 1.0), n, share)  # P(so many or fewer values lie below the quantile)
    first = int(np.searchsorted(at_most, level / 2.0))  # the smallest number that is not too improbable
    last = int(np.searchsorted(at_most, 1.0 - level / 2.0)) + 1
    low = float(ordered[first - 1]) if first > 0 else -math.inf
    high = float(ordered[last - 1]) if last <= n else math.inf
    return float(ordered[max(0, math.ceil(share * n) - 1)]), low, high
