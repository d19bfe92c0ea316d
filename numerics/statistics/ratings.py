r"""Ratings of players from the games of every pair: Bradley and Terry's model on the Elo scale, with intervals.

    expected score of i against j  =  1 / (1 + 10^((R_j - R_i) / 400)),      mean of R = 0

A draw counts as half a win of each side. A tenth of a drawn game is added to every pair, so that a player who won or
lost every game has a finite rating; a whole game would pull distant players together by hundreds of points.

Games that are drawn, or come in pairs with the same opening, vary less than coin flips with the expected score (or
more, if the same player wins an opening with both colours). Standard errors are therefore those of the fit times the
root of the dispersion: the variation of the observations over that of coin flips (McCullagh and Nelder, "Generalized
Linear Models", 1989, section 9.2). The variance of four games with even odds is added to both, so that few games do not
feign certainty.

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

ELO = 400.0 / math.log(10.0)  # Elo points for a factor e in the odds
_PRIOR = 0.05  # points of each side of a pair before its first game
_COINS = 1.0  # variance in squared points of four games with even odds, added to both terms of the dispersion

Floats = npt.NDArray[np.float64]


class Observed(NamedTuple):
    """The observations of a pair of players: single games, or pairs of games with the same opening.

    Attributes
    ----------
    row, column : int
        The players' indices.
    games, points : float arrays
        Of each observation its games, and the points of the row's player.
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
        The points of row i against column j: wins plus half the draws, at least 0; the diagonal is ignored.
    observed : sequence of Observed, optional
        The same games one by one, for the dispersion; without them it is 1, that of coin flips.

    Returns
    -------
    ratings, halves : ndarray of float, shape (players,)

    Examples
    --------
    >>> import numpy as np
    >>> elo, half = ratings(np.array([[0.0, 75.0], [25.0, 0.0]]))
    >>> elo.round().tolist(), half.round().tolist()
    ([95.0, -95.0], [39.0, 39.0])
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
    # A common shift of all strengths changes no game, so that there is no information on it; the mean is fixed at 0.
    fill = 1.0 / len(counted)
    variances = np.diag(np.linalg.inv(information + fill)) - fill
    return ELO * strengths, ELO * NORMAL_95 * np.sqrt(variances * _dispersion(expected, observed))


def _dispersion(expected: Floats, observed: Sequence[Observed]) -> float:
    """Return the variation of the observations over that of coin flips; 1 without observations."""
    count = sum(pair.games.size for pair in observed)
    if not count:
        return 1.0
    variation, coins = _COINS, _COINS
    free = count / max(1, count - len(expected) + 1)
    for pair in observed:
        chance = expected[pair.row, pair.column]
        variation += free * float(((pair.points - pair.games * chance) ** 2).sum())
        coins += float(pair.games.sum()) * chance * (1.0 - chance)
    return variation / coins
