r"""Strengths of players from the games of every pair: Bradley and Terry's model on the Elo scale, with intervals.

    expected score of i against j  =  1 / (1 + 10^((R_j - R_i) / 400)),      mean of R = 0

A draw counts as half a win of each side. One further, drawn game of every pair is added, so that a player who won or
lost every game has a finite rating: with two players this is Jeffreys' prior Beta(1/2, 1/2) of the expected score.
Bradley and Terry, "Rank analysis of incomplete block designs", Biometrika 39 (1952); Elo, "The Rating of Chessplayers"
(1978).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from experiments.statistics.intervals import NORMAL_95

ELO = 400.0 / math.log(10.0)  # points of a factor e in the odds
_PRIOR = 0.5  # points that each side of a pair has before its first game

Floats = npt.NDArray[np.float64]


def ratings(points: Floats) -> tuple[Floats, Floats]:
    """Return every player's Elo rating and half its 95 % interval; the ratings' mean is 0.

    The interval is the rating plus and minus 1.96 standard errors from the Fisher information of the fit. Where games
    are drawn it is wider than it need be, as `experiments.statistics.intervals.wilson` is.

    Parameters
    ----------
    points : ndarray, shape (players, players)
        What row i has won from column j: wins plus half the draws, at least 0; the diagonal is not read.

    Returns
    -------
    ratings, halves : ndarray of float, shape (players,)

    Examples
    --------
    >>> import numpy as np
    >>> elo, half = ratings(np.array([[0.0, 75.0], [25.0, 0.0]]))
    >>> [round(float(one)) for one in elo], [round(float(one)) for one in half]
    ([94, -94], [39, 39])
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
    return ELO * strengths, ELO * NORMAL_95 * np.sqrt(variances)
