"""The required size of a log: impressions after which the arm with the best mean is a best arm with high probability.

Each of K arms that pay 0 or 1 is shown n times, and the arm of the best mean is chosen. In the normal approximation the
mean of a worse arm, p_a, exceeds that of the best one, p, with probability

    Phi(-(p - p_a) sqrt(n / (p (1 - p) + p_a (1 - p_a))))

and the sum over the worse arms bounds the probability of a wrong choice (Bonferroni's inequality). The procedure and
this approximation are those of Sobel and Huyett, "Selecting the best one of several binomial populations", Bell System
Technical Journal 36 (1957). They use the least favourable means instead of given ones.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt


def impressions_of_each(means: npt.ArrayLike, miss: float = 0.05, within: float = 0.0) -> int | None:
    """Return how often each arm must be shown so that a wrong choice has at most this probability.

    Parameters
    ----------
    means : array_like of shape (K,)
        The probabilities with which the arms pay, from 0 to 1.
    miss : float, default 0.05
        The probability of a wrong choice, above 0 and below 1.
    within : float, default 0
        Arms whose means are at least (1 - within) times the best one are right choices too.

    Returns
    -------
    int or None
        The least such number; None where every arm is a right choice.

    Examples
    --------
    >>> impressions_of_each([0.1, 0.2]), impressions_of_each([0.1, 0.1])
    (68, None)
    """
    from scipy.special import ndtr

    rates = np.asarray(means, dtype=np.float64)
    best = float(rates.max())
    worse = rates[rates < (1.0 - within) * best]
    if not worse.size:
        return None
    variances = best * (1.0 - best) + worse * (1.0 - worse)
    with np.errstate(divide="ignore"):
        signal = (best - worse) / np.sqrt(variances)  # infinite between 1 and 0

    def wrong(shown: int) -> float:
        return float(ndtr(-signal * math.sqrt(shown)).sum())

    low, high = 0, 1
    while wrong(high) > miss:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if wrong(middle) > miss else (low, middle)
    return high
