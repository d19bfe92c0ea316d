r"""Intervals of the mean of bounded values, valid even if rare, large values are missing from the sample.

No interval that uses only the values is valid for every law. All of 1,000 replications may have a regret of 15 although
one in 2,000 has 285. Where values are known to lie in [lower, upper], the upper end is the quantile of

    W_1 x_1 + ... + W_n x_n + W_{n+1} upper,        W uniform on the weights that sum to 1 (Dirichlet(1, ..., 1)),

and the lower end likewise, with `lower` as the further value (N. Gaffke, "Three test statistics for a nonparametric
one-sided hypothesis on the mean of a nonnegative variable", Mathematical Methods of Statistics 14 (2005), 451-467; E.
Learned-Miller and P. S. Thomas, "A new confidence interval for the mean of a bounded random variable", 2020). For
values 0 and 1 it is the interval of Clopper and Pearson; for equal values it is the rule of three. In large samples it
is as narrow as the normal one. That it holds for every law is conjectured and unrefuted. The quantile comes from a
saddlepoint approximation and is at most 0.6 % too far out. See Lugannani and Rice, "Saddle point approximation for the
distribution of the sum of independent random variables", Advances in Applied Probability 12 (1980), equation (3).

Every table uses `mean_interval`. An end with a bound is the farther of this one and that of
`numerics.statistics.means`, but not beyond the bound. An end without a bound is the latter.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from numerics.statistics import means
from numerics.statistics.means import CONFIDENCE, Floats

METHOD = "Gaffke's for bounded values"
MOST_EQUAL = 0.9  # a larger share of equal values says that others are rare
LONG_GAP = 0.5  # of what is possible: so far apart, neighbours in a sample are of two kinds
_LEVELS = 2_048  # different values that are kept apart; more are put together, each group as its mean
_ROUNDING = 1e-12
_TINY = 1e-290  # room in which steps of the search would be 0
_PRECISION, _STEPS = 4.0 * 2.0**-52, 100  # of a root, relative to it, and the most steps to it
_NEAR, _FAR = -36.0, 12.0  # ln(d / (upper - mean)), d as in `_root`, between which all quantiles lie


def mean_interval(
    values: Floats,
    lower: npt.ArrayLike = math.nan,
    upper: npt.ArrayLike = math.nan,
    confidence: float = CONFIDENCE,
) -> tuple[Floats, Floats]:
    """Return the ends of the intervals of the means of values over the first axis.

    NaN for a single value without bounds.

    Parameters
    ----------
    values : float64[n, ...]
    lower, upper : float, or arrays of the shape of a mean
        Bounds of the values, if rare values near them may be missing from the sample. If infinite, the interval has no
        end on that side. NaN: rare values are not expected on that side, whose end is that of
        `numerics.statistics.means.interval`.
    confidence : float, default 0.95
        Below 1; half of what it leaves is beyond each end.

    Examples
    --------
    >>> low, high = mean_interval(np.full(1_000, 15.0), 0.0, 300.0)
    >>> round(float(low), 2), round(float(high), 2)
    (14.94, 16.05)
    """
    low, high = means.interval_of(values, confidence)
    columns, shape = values.reshape(len(values), -1), values.shape[1:]
    ends = []
    for end, bound, sign in ((low, lower, -1.0), (high, upper, 1.0)):
        bounds = np.broadcast_to(np.asarray(bound, dtype=np.float64), shape).reshape(-1)
        new = np.array(end, dtype=np.float64).reshape(-1)
        new = np.where(np.isinf(bounds), bounds, new)
        for index in np.flatnonzero(np.isfinite(bounds)):
            bounded = _upper_end(sign * columns[:, index], sign * bounds[index], 0.5 - 0.5 * confidence)
            new[index] = sign * np.clip(np.fmax(sign * new[index], bounded), None, sign * bounds[index])
        ends.append(new.reshape(shape))
    return ends[0], ends[1]


def mean_p_value(values: Floats, lower: float = math.nan, upper: float = math.nan) -> float:
    """Return the p-value of a mean of 0: below 1 - confidence if `mean_interval` of that confidence excludes 0.

    Parameters
    ----------
    values : float64[n]
    lower, upper : float
        As for `mean_interval`. Without a bound, equal values have no p-value (NaN): rare others may be missing.

    Examples
    --------
    >>> constant = np.full(30, -1.0)
    >>> round(mean_p_value(constant, -10.0, 10.0), 3), round(mean_p_value(np.full(100, -1.0), -10.0, 10.0), 4)
    (0.115, 0.0001)
    """
    mean = float(values.mean())
    sign, bound = (1.0, upper) if mean < 0.0 else (-1.0, -lower)  # the end between the mean and 0
    if math.isinf(bound) and len(values) > 1:
        return 1.0
    p_value = float(means.p_value(mean, means.standard_error(values), means.skewness(values), len(values)))
    if len(values) < 2 or math.isnan(bound) or mean == 0.0:
        return p_value
    return min(1.0, max(2.0 * _probability_beyond(sign * values, bound, 0.0), 0.0 if math.isnan(p_value) else p_value))


def rare_values(values: Floats, reach: float) -> bool:
    """Return whether rare, distant values may dominate the mean of a sample.

    It does if more than 90 % of the values are equal, or if there are only one or two values. It also does if
    neighbouring values are more than half of the possible difference apart.

    Parameters
    ----------
    values : float64[n]
    reach : float
        The largest possible difference of two values; inf if unknown.

    Examples
    --------
    >>> rare_values(np.array([15.0] * 99 + [16.0]), 300.0), rare_values(np.arange(30.0), 300.0)
    (True, False)
    >>> rare_values(np.append(np.arange(30.0), 285.0), 300.0)
    True
    """
    levels, counts = np.unique(values, return_counts=True)
    few = levels.size <= min(2, len(values) - 1) or counts.max() > MOST_EQUAL * len(values)
    return bool(few or (len(levels) > 1 and np.diff(levels).max() > LONG_GAP * reach))


def _upper_end(values: Floats, upper: float, beyond: float) -> float:
    """Return the number that the random mean of values and bound exceeds with probability `beyond`."""
    from scipy.special import ndtri

    points, shares, upper = _points(values, upper)
    room = upper - float(values.mean())
    if room <= max(_ROUNDING * abs(upper), _TINY):
        return upper
    if points.size == 2:  # equal values: the weight of the bound has a beta law
        return upper - room * float(beyond ** (1.0 / len(values)))
    z = -float(ndtri(beyond))
    size = float(len(values) + 1)

    def miss(log: float) -> float:
        return _root(points, shares, size, room * math.exp(log))[0] - z

    d = room * math.exp(root_between(miss, _NEAR, _FAR, 1e-9))
    return _root(points, shares, size, d)[1]


def _probability_beyond(values: Floats, upper: float, at: float) -> float:
    """Return the probability that the random mean of values and bound exceeds a number; 1 below its expectation."""
    from scipy.special import ndtr

    points, shares, upper = _points(values, upper)
    room = upper - float(values.mean())
    if at <= float(shares @ points):
        return 1.0
    if at >= upper - _ROUNDING * abs(upper):
        return 0.0
    if points.size == 2:
        return float(((upper - at) / room) ** len(values))
    size = float(len(values) + 1)

    def miss(log: float) -> float:
        return _root(points, shares, size, room * math.exp(log))[1] - at

    if miss(_NEAR) <= 0.0:
        return 0.0
    if miss(_FAR) >= 0.0:
        return 1.0
    root, _ = _root(points, shares, size, room * math.exp(root_between(miss, _NEAR, _FAR, 1e-9)))
    return float(ndtr(-root))


def _points(values: Floats, upper: float) -> tuple[Floats, Floats, float]:
    """Return the different values and the bound, their shares, and the bound, which no value exceeds."""
    levels, counts = np.unique(values, return_counts=True)
    if levels.size > _LEVELS:
        step = (levels[-1] - levels[0]) / _LEVELS
        groups = np.minimum(((levels - levels[0]) / step).astype(np.int64), _LEVELS - 1)
        sums, sizes = np.bincount(groups, counts * levels), np.bincount(groups, counts)
        levels, counts = sums[sizes > 0] / sizes[sizes > 0], sizes[sizes > 0]
    upper = max(upper, float(levels[-1]))
    shares = np.append(counts, 1.0) / (len(values) + 1)
    return np.append(levels, upper), shares, upper


def _root(points: Floats, shares: Floats, size: float, d: float) -> tuple[float, float]:
    """Return r and s: the random mean exceeds s with the probability that a normal number exceeds r.

    With E_i exponential, the mean exceeds s where sum_i E_i (x_i - s) > 0. The cumulant function of this sum is
    -sum_i ln(1 - h (x_i - s)); its saddlepoint is h = mean of 1 / (c - x_i), where c = s + 1 / h
    = the last point, which is the largest, plus d.
    """
    off = d + (points[-1] - points)
    inverse = 1.0 / off
    h = float(shares @ inverse)
    s = float(shares @ (points * inverse)) / h
    w = math.sqrt(max(0.0, 2.0 * size * float(shares @ np.log(h * off))))
    if w < 1e-3:  # near the mean, where the correction below is noise
        return w, s
    u = math.sqrt(size * float(shares @ ((points - s) * inverse) ** 2))
    return w + math.log(u / w) / w, s


def root_between(function: Callable[[float], float], low: float, high: float, within: float) -> float:
    """Return a root of a continuous function between two numbers where its signs differ, to `within`.

    The method of R. P. Brent, "Algorithms for Minimization without Derivatives" (1973), chapter 4: the steps of
    `scipy.optimize.brentq`, to the last bit. A short command is spared the import of `scipy.optimize`.

    Raises
    ------
    ValueError
        The signs are equal.

    Examples
    --------
    >>> round(root_between(lambda x: x * x - 2.0, 0.0, 2.0, 1e-12), 9)
    1.414213562
    """
    before, now, across = low, high, 0.0
    f_before, f_now, f_across = function(before), function(now), 0.0
    if f_before == 0.0:
        return before
    if f_now == 0.0:
        return now
    if (f_before < 0.0) == (f_now < 0.0):
        raise ValueError(f"function must have different signs at low={low} and high={high}; got {f_before}, {f_now}")
    last = step = 0.0
    for _ in range(_STEPS):
        if f_before != 0.0 and f_now != 0.0 and (f_before < 0.0) != (f_now < 0.0):
            across, f_across = before, f_before
            last = step = now - before
        if abs(f_across) < abs(f_now):
            before, now, across = now, across, now
            f_before, f_now, f_across = f_now, f_across, f_now
        least = 0.5 * (within + _PRECISION * abs(now))
        half = 0.5 * (across - now)
        if f_now == 0.0 or abs(half) < least:
            return now
        last, step = _step((before, now, across), (f_before, f_now, f_across), last, step, least)
        before, f_before = now, f_now
        now += step if abs(step) > least else math.copysign(least, half)
        f_now = function(now)
    return now


def _step(
    x: tuple[float, float, float], f: tuple[float, float, float], last: float, step: float, least: float
) -> tuple[float, float]:
    """Return the step to remember and the step to take: of a line or a parabola if it converges, else half of the way.

    `x` and `f` are the points before, now and across the root, and their values.
    """
    (before, now, across), (f_before, f_now, f_across) = x, f
    half = 0.5 * (across - now)
    if abs(last) > least and abs(f_now) < abs(f_before):
        if before == across:
            new = -f_now * (now - before) / (f_now - f_before)
        else:
            slope = (f_before - f_now) / (before - now)
            other = (f_across - f_now) / (across - now)
            new = -f_now * (f_across * other - f_before * slope) / (other * slope * (f_across - f_before))
        if 2.0 * abs(new) < min(abs(last), 3.0 * abs(half) - least):
            return step, new
    return half, half
