r"""The drift of a Brownian motion observed until it left an interval: an estimate and its confidence interval.

Outcomes are ordered from the earliest exit below, through later exits and the positions in between, to the earliest
exit above. See Siegmund, "Sequential Analysis", 1985, section III.4, and Armitage, Biometrika 45 (1958). Under the
estimate, the observed outcome or a lower one has probability 50 %. Under the ends of the interval it has probability
97.5 % and 2.5 %.

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

_FAR = 9.0  # standard deviations, beyond which probabilities are negligible


def drift_interval(
    position: float, time: float, deviation: float, bounds: tuple[float, float] | None = None
) -> tuple[float, float, float]:
    """Return the drift for each unit of time, and the ends of its 95 % interval.

    Parameters
    ----------
    position : float
        The last position of the process, which began at 0.
    time : float
        The time of the last position, above 0.
    deviation : float
        Standard deviation of the process after one unit of time, above 0.
    bounds : (float, float), optional
        The bounds, below and above 0, at which observation ends. A position beyond a bound is moved back to it, and the
        time accordingly. By default the time was fixed beforehand.

    Examples
    --------
    >>> [round(drift, 3) for drift in drift_interval(30.0, 100.0, 1.0)]
    [0.3, 0.104, 0.496]
    >>> [round(drift, 3) for drift in drift_interval(30.0, 100.0, 1.0, (-30.0, 30.0))]
    [0.283, 0.084, 0.482]
    """
    if bounds is None:
        half = NORMAL_95 * deviation / math.sqrt(time)
        return position / time, position / time - half, position / time + half
    low, high = bounds
    if not low < position < high:
        end = low if position <= low else high
        time, position = time * end / position, end
    slope, error = position / time, deviation / math.sqrt(time)

    def chance(drift: float) -> float:
        """Return the probability of the observed outcome or a lower one."""
        if position >= high:
            return 1.0 - _exit(high, high - low, drift, time, deviation)
        left = _exit(-low, high - low, -drift, time, deviation)
        return left if position <= low else left + _probability_between(low, high, position, drift, time, deviation)

    estimate, least, most = (_solve_drift(chance, probability, slope, error) for probability in (0.5, 0.975, 0.025))
    return estimate, least, most


def _solve_drift(chance: Callable[[float], float], wanted: float, slope: float, error: float) -> float:
    """Return the drift with the wanted chance, which decreases in the drift."""
    from scipy.optimize import brentq

    reach = 4.0 * error
    while chance(slope - reach) < wanted or chance(slope + reach) > wanted:
        reach *= 2.0
    return float(brentq(lambda drift: chance(drift) - wanted, slope - reach, slope + reach, xtol=1e-6 * error))


def _exit(bound: float, width: float, drift: float, time: float, deviation: float) -> float:
    """Return the probability of an exit by `time` at a bound above 0; the other bound lies `width` below it."""
    from scipy.special import log_ndtr

    spread = deviation * math.sqrt(time)
    images = bound + 2.0 * width * _images(spread, width)
    distance, m, pull = np.abs(images), drift / deviation**2, abs(drift)
    near = m * bound - abs(m) * distance + log_ndtr((pull * time - distance) / spread)
    far = m * bound + abs(m) * distance + log_ndtr(-(pull * time + distance) / spread)
    return float((np.sign(images) * (np.exp(near) + np.exp(far))).sum())


def _probability_between(
    low: float, high: float, position: float, drift: float, time: float, deviation: float
) -> float:
    """Return the probability that the process is still between its bounds and below a position."""
    from scipy.special import log_ndtr

    spread = deviation * math.sqrt(time)
    k = 2.0 * (high - low) * _images(spread, high - low)
    images, signs = np.concatenate([k, 2.0 * low + k]), np.repeat([1.0, -1.0], k.size)
    ends = [(end - images - drift * time) / spread for end in (low, position)]
    above = ends[0] > 0.0  # there the difference of upper tails is more precise
    lower, upper = np.where(above, -ends[1], ends[0]), np.where(above, -ends[0], ends[1])
    weight = drift * images / deviation**2
    return float((signs * (np.exp(weight + log_ndtr(upper)) - np.exp(weight + log_ndtr(lower)))).sum())


def _images(spread: float, width: float) -> npt.NDArray[np.float64]:
    """Return the numbers of the images that are not negligible."""
    most = 2 + math.ceil(_FAR * spread / width)
    return np.arange(-most, most + 1, dtype=np.float64)
