r"""Ratings of players from the games of every pair: Bradley and Terry's model on the Elo scale, with intervals.

    expected score of i against j  =  1 / (1 + 10^((R_j - R_i) / 400)),      mean of R = 0

A draw counts as half a win of each side. A tenth of a drawn game is added to every pair, so that a player who won or
lost every game has a finite rating. A whole game would pull distant players together by hundreds of points.

Drawn games, and pairs of games with the same opening, vary less than coin flips with the expected score. They vary more
if the same player wins an opening with both colours. So the variances of the fit are multiplied by the dispersion, the
variation of the observations over that of coin flips. See McCullagh and Nelder, "Generalized Linear Models", 1989,
section 9.2. The variance of four games with even odds is added to both, so that few games do not feign certainty.

The interval of two players is that of their score (`numerics.statistics.scores`) in Elo. With more players, each end of
an interval with two ends is the farther of two. One is 1.96 standard errors from the rating. The other is where a
likelihood-ratio test at 5 % rejects the value (profile likelihood; McCullagh and Nelder, section 7.2.4). The first is
too near if the only defeat in ten games may have been bad luck.

Players who won every game against all others may be any distance above them. See Ford, "Solution of a Ranking Problem
from Binary Comparisons", American Mathematical Monthly 64 (1957). A chain of players is one in which each took points
from the next. A rating has an upper end only if a chain leads from every other player to this one. It has a lower end
only if chains lead from this player to every other. If a rating has one end, that end is where the likelihood has
fallen to 2.5 %. For one player who won all games, these then have a probability of 2.5 %.

Bradley and Terry, "Rank analysis of incomplete block designs", Biometrika 39 (1952); Elo, "The Rating of Chessplayers"
(1978).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from numerics.statistics.intervals import NORMAL_95, wilson
from numerics.statistics.scores import Scores

ELO = 400.0 / math.log(10.0)  # Elo points for a factor e in the odds
_PRIOR = 0.05  # points of each side of a pair before its first game
_RARE = math.log(0.025)  # of the chance of winning every game at the lower end of the winner's strength
_STEPS, _SURE = 50, 1e-6  # Newton steps of the profile likelihood, at most; the last one is smaller than _SURE
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


def ratings(points: Floats, observed: Sequence[Observed] = ()) -> tuple[Floats, Floats, Floats]:
    """Return every player's Elo rating and the ends of its 95 % interval; the ratings' mean is 0.

    Parameters
    ----------
    points : ndarray, shape (players, players)
        The points of row i against column j: wins plus half the draws, at least 0; the diagonal is ignored.
    observed : sequence of Observed, optional
        The same games one by one, for the dispersion; without them it is 1, that of coin flips.

    Returns
    -------
    ratings, lows, highs : ndarray of float, shape (players,)
        With more than two players, ends are infinite if some players won every game against all others. These are the
        upper ends of the winners and the lower ends of the others. A player between two such groups has neither end.

    Examples
    --------
    >>> import numpy as np
    >>> elo, low, high = ratings(np.array([[0.0, 75.0], [25.0, 0.0]]))
    >>> elo.round().tolist(), low.round().tolist(), high.round().tolist()
    ([95.0, -95.0], [54.0, -137.0], [137.0, -54.0])
    """
    import choix

    given = np.array(points, dtype=np.float64)
    np.fill_diagonal(given, 0.0)
    counted = given + _PRIOR
    np.fill_diagonal(counted, 0.0)
    strengths = choix.ilsr_pairwise_dense(counted, max_iter=100_000)
    strengths = strengths - strengths.mean()
    if len(given) == 2:
        lows, highs = _of_two(given, observed)
        return ELO * strengths, ELO * lows, ELO * highs
    # A common shift of all strengths changes no game, so that there is no information on it: their mean is 0.
    fill = 1.0 / len(counted)
    inverse = np.asarray(np.linalg.inv(_information(counted, strengths) + fill) - fill, dtype=np.float64)
    dispersion = _dispersion(_expected_scores(strengths), observed)
    half = NORMAL_95 * np.sqrt(np.diag(inverse) * dispersion)
    reached = _reaches(given > 0.0)
    ends = np.empty((2, len(given)))
    for player in range(len(given)):
        bounded = reached[player].all(), reached[:, player].all()
        allowed = dispersion * NORMAL_95**2 if all(bounded) else -2.0 * _RARE * max(1.0, dispersion)
        for end, sign in enumerate((-1.0, 1.0)):
            if not bounded[end]:
                ends[end, player] = sign * np.inf
                continue
            moved = _profile(counted, strengths, inverse[player], player, sign, allowed)
            ends[end, player] = strengths[player] + sign * (max(half[player], moved) if all(bounded) else moved)
    return ELO * strengths, ELO * ends[0], ELO * ends[1]


def _reaches(took: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return whether a chain of players, each of whom took points from the next, leads from a row to a column."""
    reached = took | np.eye(len(took), dtype=np.bool_)
    for middle in range(len(took)):
        reached |= reached[:, [middle]] & reached[[middle]]
    return reached


def _of_two(points: Floats, observed: Sequence[Observed]) -> tuple[Floats, Floats]:
    """Return the ends of the intervals of two players' strengths, from that of the first's score."""
    low, high = wilson(float(points[0, 1]), float(points[0, 1] + points[1, 0]))
    if observed:
        sizes = np.concatenate([pair.games for pair in observed])
        shares = np.concatenate([(pair.points if pair.row == 0 else pair.games - pair.points) for pair in observed])
        of = [shares[sizes == size] / size for size in np.unique(sizes)]
        weights = [float(sizes[sizes == size].sum() / sizes.sum()) for size in np.unique(sizes)]
        low, high = Scores(of, weights).interval()
    with np.errstate(divide="ignore"):
        least, most = (0.5 * float(np.log(score) - np.log1p(-score)) for score in (low, high))
    return np.array([least, -most]), np.array([most, -least])


def _expected_scores(strengths: Floats) -> Floats:
    """Return the expected score of each player, a row, against each, a column."""
    scores: Floats = 1.0 / (1.0 + np.exp(strengths[None, :] - strengths[:, None]))
    return scores


def _information(counted: Floats, strengths: Floats) -> Floats:
    """Return minus the second derivatives of the log-likelihood."""
    expected = _expected_scores(strengths)
    weights = (counted + counted.T) * expected * (1.0 - expected)
    information: Floats = np.diag(weights.sum(axis=1)) - weights
    return information


def _profile(
    counted: Floats, strengths: Floats, covariances: Floats, player: int, sign: float, allowed: float
) -> float:
    """Return how far a player's strength moves until twice the log-likelihood, at its most, has fallen by `allowed`."""
    from scipy.optimize import brentq

    count = len(counted)
    fixed = np.zeros((2, count))  # the player's strength and the sum of all
    fixed[0, player], fixed[1] = 1.0, 1.0
    along = covariances / covariances[player]

    def likelihood(at: Floats) -> float:
        return float((counted * np.log(_expected_scores(at))).sum())

    def excess(moved: float) -> float:
        """Return how much farther than allowed the likelihood falls if the player is moved that far."""
        at = strengths + sign * moved * along
        for _ in range(_STEPS):
            gradient = (counted - (counted + counted.T) * _expected_scores(at)).sum(axis=1)
            system = np.block([[_information(counted, at), fixed.T], [fixed, np.zeros((2, 2))]])
            step = np.linalg.solve(system, np.append(gradient, [0.0, 0.0]))[:count]
            largest = float(np.abs(step).max())
            at = at + step / max(1.0, largest)
            if largest < _SURE:
                break
        return 2.0 * (top - likelihood(at)) - allowed

    top, far = likelihood(strengths), float(np.sqrt(covariances[player]))
    while excess(far) < 0.0:
        far *= 2.0
    return float(brentq(excess, 0.0, far, xtol=1e-9))


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
