"""Which of several settings scored best, and which of the others the same games cannot tell from it.

The unit is a pair of games: one opening, played with either player moving first. Settings that met the same openings
and seeds are compared pair by pair, which takes out what a lucky opening gives to all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

BEST, LIKE_BEST, LOWER = "best", "not distinguishable", "lower"
LEVEL = 0.05  # the chance that any of all intervals misses, at most

Floats = npt.NDArray[np.float64]


def scores_of_pairs(games: pd.DataFrame) -> Floats:
    """Return player 1's score in each pair of games, in [0, 1]; `games` has the columns game and result."""
    scores = 0.5 + 0.5 * games["result"]
    found: Floats = scores.groupby(games["game"] // 2).mean().to_numpy(np.float64)
    return found


def against_best(scores: Sequence[Floats], *, paired: bool) -> pd.DataFrame:
    """Compare every setting with the one of the highest mean score.

    Parameters
    ----------
    scores : sequence of float arrays
        Of each setting, one score in [0, 1] a pair of games; of equal lengths where they are paired.
    paired : bool
        Whether entry i of every setting met the same opening and seeds.

    Returns
    -------
    pandas.DataFrame
        One row a setting: difference (its mean score minus the best one's) with the ends of its interval; p_value;
        p_adjusted; standing, one of "best", "not distinguishable" and "lower".

        Intervals and p_adjusted are of all pairs of settings together by Bonferroni's inequality: with 95 % confidence
        no interval misses. All pairs count, not only those with the best, because the best is chosen by the same games.
        "lower", p_adjusted below 0.05 and an interval below 0 are the same.

        Paired: the t-test of the differences, of which two more are added, 1 and -1, so that few pairs or equal
        differences do not feign certainty (Bonett and Price, JEBS 37, 2012). Else Welch's t-test with a score of 1 and
        one of 0 added to each setting (Agresti and Caffo, The American Statistician 54, 2000).

    Examples
    --------
    >>> import numpy as np
    >>> weak, strong = np.full(50, 0.5), np.tile([0.5, 1.0], 25)
    >>> list(against_best([weak, strong], paired=True)["standing"])
    ['lower', 'best']
    """
    import pandas as pd

    compare = _paired if paired else _welch
    means = [float(own.mean()) for own in scores]
    best = int(np.argmax(means))
    pairs = len(scores) * (len(scores) - 1) // 2
    rows = []
    for place, own in enumerate(scores):
        if place == best:
            nan = float("nan")
            rows.append((0.0, nan, nan, nan, nan, BEST))
            continue
        low, high, p_value = compare(own, scores[best], LEVEL / pairs)
        standing = LOWER if high < 0.0 else LIKE_BEST
        rows.append((means[place] - means[best], low, high, p_value, min(1.0, pairs * p_value), standing))
    names = ["difference", "difference_low", "difference_high", "p_value", "p_adjusted", "standing"]
    return pd.DataFrame(rows, columns=names)


def _paired(a: Floats, b: Floats, level: float) -> tuple[float, float, float]:
    """Return the ends of the interval of mean a minus mean b, of confidence 1 - level, and the p-value."""
    differences = np.append(a - b, (1.0, -1.0))
    error = float(differences.std(ddof=1)) / np.sqrt(differences.size)
    return _student(float(differences.mean()), error, differences.size - 1, level)


def _welch(a: Floats, b: Floats, level: float) -> tuple[float, float, float]:
    one, other = np.append(a, (0.0, 1.0)), np.append(b, (0.0, 1.0))
    parts = [float(own.var(ddof=1)) / own.size for own in (one, other)]
    freedom = sum(parts) ** 2 / sum(part**2 / (own.size - 1) for part, own in zip(parts, (one, other), strict=True))
    return _student(float(one.mean() - other.mean()), float(np.sqrt(sum(parts))), freedom, level)


def _student(mean: float, error: float, freedom: float, level: float) -> tuple[float, float, float]:
    from scipy.stats import t

    half = float(t.ppf(1.0 - level / 2.0, freedom)) * error
    return max(-1.0, mean - half), min(1.0, mean + half), float(2.0 * t.sf(abs(mean) / error, freedom))
