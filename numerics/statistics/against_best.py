"""Which of several settings scored best, and which of the others are indistinguishable from it.

The unit is a pair of games: an opening, played with either player moving first. Settings that met the same openings and
seeds are compared pair by pair, which removes the luck of an opening that they share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from numerics.statistics.scores import Scores

if TYPE_CHECKING:
    import pandas as pd

BEST, LIKE_BEST, LOWER = "best", "not distinguishable", "lower"
LEVEL = 0.05  # upper bound on the chance that any of the intervals misses

Floats = npt.NDArray[np.float64]


def scores_of_pairs(games: pd.DataFrame) -> Floats:
    """Return player 1's score in each pair of games, in [0, 1]; `games` has the columns game and result."""
    scores = 0.5 + 0.5 * games["result"]
    means: Floats = scores.groupby(games["game"] // 2).mean().to_numpy(np.float64)
    return means


def against_best(scores: Sequence[Floats], *, paired: bool) -> pd.DataFrame:
    """Compare every setting with the setting of the highest mean score.

    Parameters
    ----------
    scores : sequence of float arrays
        For each setting, a score in [0, 1] for each pair of games; of equal lengths if `paired`.
    paired : bool
        Whether entry i of every setting met the same opening and seeds.

    Returns
    -------
    pandas.DataFrame
        A row for each setting: difference (its mean score minus the best setting's) with the ends of its interval,
        p_value, p_adjusted and standing. Standing is "best", "not distinguishable" or "lower".

        Intervals and p_adjusted hold for all pairs of settings jointly by Bonferroni's inequality. With 95 % confidence
        all intervals hold, and the truly best setting is not "lower". All pairs count, not only those with the best
        setting, because the same games chose it. "lower", p_adjusted below 0.05 and an interval below 0 are equivalent.

        The test is the score test of `numerics.statistics.scores`: of the differences pair by pair if `paired`, else of
        the difference of two means.

    Examples
    --------
    >>> import numpy as np
    >>> weak, strong = np.full(50, 0.5), np.tile([0.5, 1.0], 25)
    >>> list(against_best([weak, strong], paired=True)["standing"])
    ['lower', 'best']
    """
    import pandas as pd
    from scipy.special import ndtri

    means = [float(setting.mean()) for setting in scores]
    best = int(np.argmax(means))
    pairs = max(1, len(scores) * (len(scores) - 1) // 2)
    z = float(ndtri(1.0 - LEVEL / pairs / 2.0))
    rows = []
    for index, setting in enumerate(scores):
        if index == best:
            nan = float("nan")
            rows.append((0.0, nan, nan, nan, nan, BEST))
            continue
        other = scores[best]
        compared = Scores([setting - other], limits=(-1.0, 1.0)) if paired else Scores([setting, other], (1.0, -1.0))
        (low, high), p_value = compared.interval(z), compared.p_value()
        standing = LOWER if high < 0.0 else LIKE_BEST
        rows.append((means[index] - means[best], low, high, p_value, min(1.0, pairs * p_value), standing))
    names = ["difference", "difference_low", "difference_high", "p_value", "p_adjusted", "standing"]
    return pd.DataFrame(rows, columns=names)
