r"""The drift of a Brownian motion that was watched until it left an interval: an estimate and its confidence interval.

Outcomes are ordered from the earliest exit below, over the latest ones and the places in between, to the earliest exit
above (Siegmund, "Sequential Analysis", 1985, section III.4; Armitage, Biometrika 45, 1958). An end of the interval is
the drift under which what was seen, or less, has a probability of 2.5 or 97.5 %; the estimate that of 50 %.

Probabilities are sums over images of the start in both bounds,

    P(exit at b by T)  =  exp(m b) sum_k sign(d_k) [exp(-|m| |d_k|) Phi((|mu| T - |d_k|) / s) +
                                                    exp(|m| |d_k|) Phi(-(|mu| T + |d_k|) / s)],    d_k = b + 2 k (b - a)

with m = mu / sigma^2 and s = sigma sqrt(T) (Borodin and Salminen, "Handbook of Brownian Motion", 2002, 2.3.0.2).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from numerics.statistics.intervals import NORMAL_95

_FAR = 9.0  # standard deviations, beyond which nothing happens


def drift_interval(
    place: float, time: float, deviation: float, bounds: tuple[float, float] | None = None
) -> tuple[float, float, float]:
    """Return the drift for each unit of time, and the ends of its 95 % interval.

    Parameters
    ----------
    place : float
        Where the process was seen last; it began at 0.
    time : float
        When that was, above 0.
    deviation : float
        Of the process after one unit of time, above 0.
    bounds : (float, float), optional
        Below and above 0: where the process would have ended, and has if `place` is there or beyond. A place beyond is
        taken back to the bound, and the time with it. Without them the time was fixed before.

    Examples
    --------
    >>> [round(one, 3) for one in drift_interval(30.0, 100.0, 1.0)]
    [0.3, 0.104, 0.496]
    >>> [round(one, 3) for one in drift_interval(30.0, 100.0, 1.0, (-30.0, 30.0))]
    [0.283, 0.084, 0.482]
    """
    if bounds is None:
        half = NORMAL_95 * deviation / math.sqrt(time)
        return place / time, place / time - half, place / time + half
    low, high = bounds
    if not low < place < high:
        end = low if place <= low else high
        time, place = time * end / place, end
    slope, error = place / time, deviation / math.sqrt(time)

    def chance(drift: float) -> float:
        """Return the probability of what was seen or less."""
        if place >= high:
            return 1.0 - _exit(high, high - low, drift, time, deviation)
        left = _exit(-low, high - low, -drift, time, deviation)
        return left if place <= low else left + _between(low, high, place, drift, time, deviation)

    estimate, least, most = (_solved(chance, one, slope, error) for one in (0.5, 0.975, 0.025))
    return estimate, least, most


def _solved(chance: Callable[[float], float], wanted: float, slope: float, error: float) -> float:
    """Return the drift under which the chance is as wanted; it falls with the drift."""
    from scipy.optimize import brentq

    reach = 4.0 * error
    while chance(slope - reach) < wanted or chance(slope + reach) > wanted:
        reach *= 2.0
    return float(brentq(lambda drift: chance(drift) - wanted, slope - reach, slope + reach, xtol=1e-6 * error))


def _exit(bound: float, width: float, drift: float, time: float, deviation: float) -> float:
    """Return the probability of an exit at a bound above 0 by some time, where another one is `width` below it."""
    from scipy.special import log_ndtr

    spread = deviation * math.sqrt(time)
    images = bound + 2.0 * width * _images(spread, width)
    distance, m, pull = np.abs(images), drift / deviation**2, abs(drift)
    near = m * bound - abs(m) * distance + log_ndtr((pull * time - distance) / spread)
    far = m * bound + abs(m) * distance + log_ndtr(-(pull * time + distance) / spread)
    return float((np.sign(images) * (np.exp(near) + np.exp(far))).sum())


def _between(low: float, high: float, place: float, drift: float, time: float, deviation: float) -> float:
    """Return the probability that the process is still between its bounds, and below a place."""
    from scipy.special import log_ndtr

    spread = deviation * math.sqrt(time)
    k = 2.0 * (high - low) * _images(spread, high - low)
    images, signs = np.concatenate([k, 2.0 * low + k]), np.repeat([1.0, -1.0], k.size)
    ends = [(one - images - drift * time) / spread for one in (low, place)]
    above = ends[0] > 0.0  # where a difference of small upper tails keeps its digits
    lower, upper = np.where(above, -ends[1], ends[0]), np.where(above, -ends[0], ends[1])
    weight = drift * images / deviation**2
    return float((signs * (np.exp(weight + log_ndtr(upper)) - np.exp(weight + log_ndtr(lower)))).sum())


def _images(spread: float, width: float) -> npt.NDArray[np.float64]:
    """Return the numbers of the images that matter."""
    most = 2 + math.ceil(_FAR * spread / width)
    return np.arange(-most, most + 1, dtype=np.float64)
