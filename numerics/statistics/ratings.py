r"""Strengths of players from the games of every pair: Bradley and Terry's model on the Elo scale, with intervals.

    expected score of i against j  =  1 / (1 + 10^((R_j - R_i) / 400)),      mean of R = 0

A draw counts as half a win of each side. A tenth of a drawn game is added to every pair, so that a player who won or
lost every game has a finite rating; a whole one would pull players who are far apart together, by hundreds of points.

Games that are drawn, or come in pairs with one opening, vary less than a coin that falls with the expected score (or
more, where who meets an opening wins it with both colours). Standard errors are therefore those of the fit times the
root of the dispersion, what the observations vary over what the coins would (McCullagh and Nelder, "Generalized Linear
Models", 1989, section 9.2). The variance of four games with even odds is added to both, so that few games do not feign
certainty.
Bradley and Terry, "Rank analysis of incomplete block designs", Biometrika 39 (1952); Elo, "The Rating of Chessplayers"
(1978).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from numerics.statistics.intervals import NORMAL_95

ELO = 400.0 / math.log(10.0)  # points of a factor e in the odds
_PRIOR = 0.05  # points that each side of a pair has before its first game
_COINS = 1.0  # squared points, the variance of four games with even odds, added above and below in the dispersion

Floats = npt.NDArray[np.float64]


class Observed(NamedTuple):
    """The games of a pair, by observations: one or, with one opening, two games each.

    Attributes
    ----------
    row, column : int
        The players' places.
    games, points : float arrays
        Of each observation; points of the row's player.
    """

    row: int
    column: int
    games: Floats
    points: Floats


def ratings(points: Floats, observed: Sequence[Observed] = ()) -> tuple[Floats, Floats]:
    """Return every player's Elo rating and half its 95 % interval; the ratings' mean is 0.

    The interval is the rating plus and minus 1.96 standard errors.

    Parameters
    ----------
    points : ndarray, shape (players, players)
        What row i has won from column j: wins plus half the draws, at least 0; the diagonal is not read.
    observed : sequence of Observed, optional
        The same games one by one, for the dispersion; without them it is 1, that of coins.

    Returns
    -------
    ratings, halves : ndarray of float, shape (players,)

    Examples
    --------
    >>> import numpy as np
    >>> elo, half = ratings(np.array([[0.0, 75.0], [25.0, 0.0]]))
    >>> [round(float(one)) for one in elo], [round(float(one)) for one in half]
    ([95, -95], [39, 39])
    """
    import choix

    counted = np.asarray(points, dtype=np.float64) + _PRIOR
    np.fill_diagonal(counted, 0.0)
    strengths = choix.ilsr_pairwise_dense(counted, max_iter=100_000)
    strengths = strengths - strengths.mean()
    games = counted + counted.T
    expected = 1.0 / (1.0 + np.exp(strengths[None, :] - strengths[:, None]))
    weights = games * expected * (1.0 - expected)
    information = np.diag(weights.sum(axis=1)) - weights
    # A common shift of all strengths changes no game: in that direction there is no information, and the mean is set.
    fill = 1.0 / len(counted)
    variances = np.diag(np.linalg.inv(information + fill)) - fill
    return ELO * strengths, ELO * NORMAL_95 * np.sqrt(variances * _dispersion(expected, observed))


def _dispersion(expected: Floats, observed: Sequence[Observed]) -> float:
    """Return what observations vary over what coins would; 1 without any."""
    count = sum(one.games.size for one in observed)
    if not count:
        return 1.0
    found, coins = _COINS, _COINS
    free = count / max(1, count - len(expected) + 1)
    for one in observed:
        chance = expected[one.row, one.column]
        found += free * float(((one.points - one.games * chance) ** 2).sum())
        coins += float(one.games.sum()) * chance * (1.0 - chance)
    return found / coins
