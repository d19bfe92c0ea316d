r"""Intervals of means and a test of mean 0, also for skewed laws such as that of regret.

Student's t = (m - mu) / s, with m the mean of n values and s its standard error, is skewed if the values are. A small
sample lacks the rare large values, and most intervals that miss lie below the mean. Hall's cubic

    g(t)  =  t + h t^2 / 3 + h^2 t^3 / 27 + h / 6,      h = skewness / sqrt(n)

removes that skew, and has an inverse in closed form (P. Hall, "On the removal of skewness by transformation", Journal
of the Royal Statistical Society B 54 (1992), pages 221-228). We take the quantiles of g(t) from Student's law. The
skewness is itself an estimate. So the upper end adds to it the standard error of a normal sample's skewness,
sqrt(6 / n), and the lower end subtracts it. Each end of the interval is Student's or Hall's, whichever is farther from
the mean. `python -m benchmarks.calibration "mean regret"` measures its coverage, on laws with many values in the
sample.

It knows nothing about values that are not in the sample. If rare values decide the mean, as in the regret of greedy
play, its coverage is 2 % or 90 %. Then use `numerics.statistics.bounded`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

METHOD = "Student's t, corrected for skewness"
CONFIDENCE = 0.95
FEWEST = 20  # of fewer values even mild skewness is not seen
SKEWED = 0.3  # abs(skewness) / sqrt(n) from which on an interval rests on few values

Floats = npt.NDArray[np.float64]


def standard_error(values: Floats) -> Floats:
    """Return the standard errors of the means of values, float64[n, ...], over the first axis; NaN for n = 1.

    Examples
    --------
    >>> float(standard_error(np.array([1.0, 2.0, 3.0])).round(4))
    0.5774
    """
    if len(values) < 2:
        return np.full(values.shape[1:], np.nan)
    error: Floats = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return np.where(np.ptp(values, axis=0) > 0.0, error, 0.0)  # rounding the mean of equal values leaves some 1e-16


def skewness(values: Floats) -> Floats:
    """Return the skewness of values, float64[n, ...], over the first axis, with the factor for small samples (G1).

    0 for fewer than three values, or equal ones.

    Examples
    --------
    >>> round(float(skewness(np.array([0.0, 0.0, 0.0, 4.0]))), 9)
    2.0
    """
    off = values - values.mean(axis=0)
    square = np.where(np.ptp(values, axis=0) > 0.0, (off * off).mean(axis=0), 0.0)
    return skewness_of((off * off * off).mean(axis=0), square, len(values))


def skewness_of(cube: npt.ArrayLike, square: npt.ArrayLike, n: npt.ArrayLike) -> Floats:
    """Return the skewness (G1) of n values from the mean cube and mean square of their deviations from the mean."""
    third, second, count = (np.asarray(moment, dtype=np.float64) for moment in (cube, square, n))
    with np.errstate(divide="ignore", invalid="ignore"):
        skew = third / second**1.5 * np.sqrt(count * (count - 1.0)) / (count - 2.0)
    return np.where((second > 0.0) & (count > 2.0), skew, 0.0)


def interval(
    mean: npt.ArrayLike,
    error: npt.ArrayLike,
    skew: npt.ArrayLike,
    n: npt.ArrayLike,
    confidence: float = CONFIDENCE,
) -> tuple[Floats, Floats]:
    """Return the ends of the interval of means; NaN for a single value.

    Parameters
    ----------
    mean, error, skew, n : arrays of the same shape, or numbers
        The mean, `standard_error`, `skewness` and size of each sample.
    confidence : float, default 0.95
        Below 1.

    Examples
    --------
    >>> low, high = interval(10.0, 1.0, skew=3.0, n=30)
    >>> round(float(low), 2), round(float(high), 2)
    (7.95, 18.14)
    """
    from scipy.special import stdtrit

    middle, spread, count = (np.asarray(part, dtype=np.float64) for part in (mean, error, n))
    z: Floats = np.asarray(stdtrit(np.maximum(count - 1.0, 1.0), 0.5 + confidence / 2.0), dtype=np.float64)
    up, down = _skewness_terms(skew, count)
    low, high = middle - np.maximum(z, _inverse(down, z)) * spread, middle + np.maximum(z, -_inverse(up, -z)) * spread
    alone = count < 2.0
    return np.where(alone, np.nan, low), np.where(alone, np.nan, high)


def p_value(mean: npt.ArrayLike, error: npt.ArrayLike, skew: npt.ArrayLike, n: npt.ArrayLike) -> Floats:
    """Return the p-value of a mean of 0: below 1 - confidence if the interval of that confidence excludes 0.

    NaN for a single value, and for equal ones other than 0.

    Parameters
    ----------
    mean, error, skew, n
        As for `interval`.

    Examples
    --------
    >>> float(p_value(2.5, 1.0, skew=0.0, n=1_000).round(4))
    0.0128
    """
    from scipy.special import stdtr

    middle, spread, count = (np.asarray(part, dtype=np.float64) for part in (mean, error, n))
    up, down = _skewness_terms(skew, count)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = middle / spread
        z = np.where(t > 0.0, np.minimum(t, _cubic(down, t)), np.minimum(-t, -_cubic(up, t)))
    p_values = np.minimum(1.0, 2.0 * stdtr(np.maximum(count - 1.0, 1.0), -z))
    equal = np.where(middle == 0.0, 1.0, np.nan)  # without a bound, equal values say nothing of rare other ones
    return np.where(count < 2.0, np.nan, np.where(spread == 0.0, equal, p_values))


def interval_of(values: Floats, confidence: float = CONFIDENCE) -> tuple[Floats, Floats]:
    """Return the ends of the intervals of the means of values, float64[n, ...], over the first axis."""
    return interval(values.mean(axis=0), standard_error(values), skewness(values), len(values), confidence)


def quantiles_to_come(values: Floats, shares: npt.ArrayLike) -> Floats:
    """Return the numbers below which the given shares of further values will lie on average: float64[shares, ...].

    On average, a share of k / (n + 1) of a continuous law lies below the k-th smallest of n values. These are Weibull's
    plotting positions (David and Nagaraja, "Order Statistics", 2003, section 7.2). `numpy.quantile` puts that value at
    (k - 1) / (n - 1), which describes the sample. Only 82 % of further values lie between its 5 % and 95 % quantiles of
    20 values. With fewer than 19 values, less than 90 % lie even between the smallest and the largest.

    Examples
    --------
    >>> quantiles_to_come(np.arange(19.0), [0.05, 0.5, 0.95]).tolist()
    [0.0, 9.0, 18.0]
    """
    quantiles: Floats = np.quantile(values, np.asarray(shares, dtype=np.float64), axis=0, method="weibull")
    return quantiles


def _skewness_terms(skew: npt.ArrayLike, n: Floats) -> tuple[Floats, Floats]:
    """Return h for the upper and for the lower end."""
    root, more = np.sqrt(n), np.sqrt(6.0 / n)
    return (np.asarray(skew) + more) / root, (np.asarray(skew) - more) / root


def _cubic(h: Floats, t: Floats) -> Floats:
    values: Floats = t + h * t**2 / 3.0 + h**2 * t**3 / 27.0 + h / 6.0
    return values


def _inverse(h: Floats, z: Floats) -> Floats:
    """Return the t with g(t) = z."""
    h = np.where(np.abs(h) < 1e-6, 1e-6, h)
    values: Floats = 3.0 / h * (np.cbrt(1.0 + h * (z - h / 6.0)) - 1.0)
    return values
