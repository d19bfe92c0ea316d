"""Wilson's interval of a rate."""

from __future__ import annotations

import math

NORMAL_95 = 1.959963984540054  # the 0.975 quantile of the normal law: standard errors on either side of a mean


def wilson(score: float, games: float, z: float = NORMAL_95) -> tuple[float, float]:
    """Return the Wilson interval of a rate.

    For scores other than 0 and 1, such as those of games that may be drawn, it is wider than necessary:
    `numerics.statistics.scores` has a better interval.

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
        Equation (4) of Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).

    Examples
    --------
    >>> low, high = wilson(45.5, 50)
    >>> round(low, 3), round(high, 3)
    (0.799, 0.963)
    """
    if games == 0:
        return 0.0, 1.0
    rate, shrink = score / games, z * z / games
    middle = (rate + shrink / 2.0) / (1.0 + shrink)
    half = z * math.sqrt((rate * (1.0 - rate) + shrink / 4.0) / games) / (1.0 + shrink)
    # At 0 and 1 an end of the interval is the rate itself; without min and max, rounding would miss it.
    return max(0.0, min(rate, middle - half)), min(1.0, max(rate, middle + half))
