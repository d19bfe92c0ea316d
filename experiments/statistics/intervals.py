"""Scores of matches, and the intervals of rates and scores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

NORMAL_95 = 1.959963984540054  # the normal quantile of 0.975: standard errors on either side of a mean

if TYPE_CHECKING:
    import numpy.typing as npt


def wilson(score: float, games: int, z: float = NORMAL_95) -> tuple[float, float]:
    """Return the Wilson interval of a rate, or of a score in which a draw counts half.

    With draws it is wider than it need be: a game that may be drawn varies less than one that is won or lost with the
    same expected score.

    Parameters
    ----------
    score : float
        Successes, or points: wins plus half the draws; from 0 to `games`.
    games : int
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
    # At 0 and 1 an end of the interval is the rate itself, which rounding would miss by a last bit.
    return max(0.0, min(rate, middle - half)), min(1.0, max(rate, middle + half))


def tally(results: npt.ArrayLike) -> dict[str, int | float]:
    """Count the results of a player's games: 1 won, 0 drawn, -1 lost.

    Returns
    -------
    dict
        games, wins, draws, losses; score = (wins + draws / 2) / games, NaN without games; and the ends score_low and
        score_high of its 95 % interval.

    Examples
    --------
    >>> counted = tally([1, 1, 0, -1])
    >>> counted["wins"], counted["losses"], counted["score"]
    (2, 1, 0.625)
    """
    found = np.asarray(results, dtype=np.int64)
    wins, draws, losses = (int((found == result).sum()) for result in (1, 0, -1))
    points = wins + draws / 2.0
    low, high = wilson(points, found.size)
    score = points / found.size if found.size else math.nan
    counts = {"games": found.size, "wins": wins, "draws": draws, "losses": losses}
    return {**counts, "score": score, "score_low": low, "score_high": high}
