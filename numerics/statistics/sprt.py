r"""A sequential test of two players on pairs of games: the generalised SPRT on pentanomial counts.

A pair is two games of the same opening with colours swapped. Its score is 0, 1/4, 1/2, 3/4 or 1: LL, LD, WL or DD, WD,
WW. The log-likelihood ratio compares the most likely multinomial laws of these five scores under two hypotheses,

    LLR  =  max over laws with theta = theta_1 of sum_i n_i ln p_i   -   the same with theta = theta_0

and the test ends when the ratio leaves (ln(beta / (1 - alpha)), ln((1 - beta) / alpha)). Theta is the expected score
1 / (1 + 10^(-elo / 400)) (model logistic), or the t-value of a pair, (expected score - 1/2) / deviation (model
normalized). Normalized Elo is 800 / ln(10) times the t-value of a game, which is that of a pair / sqrt(2).

Van den Bergh, "A practical introduction to the GSPRT" and "Normalized Elo practical", section 4.1; Wald, "Sequential
Analysis" (1947), for the bounds. The error rates hold if the hypotheses are close, so that each pair moves the LLR only
a little.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from numerics.statistics.stopped import drift_interval

KINDS = ("LL", "LD", "WL+DD", "WD", "WW")
"""The five results of a pair, from its first player's side."""
SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
NORMALIZED, LOGISTIC = "normalized", "logistic"
MODELS = (NORMALIZED, LOGISTIC)
MOST_ELO = 400.0  # largest Elo of a hypothesis: far beyond where the test is exact
LARGE_STEP = 0.4  # if a pair can move the LLR by more, the error rates are not exact
_ELO_OF_T = 800.0 / math.log(10.0)  # normalized Elo of a t-value of one game
_EMPTY = 1e-3  # the count of a result that never occurred, so that laws with this result have a likelihood
_OVERSHOT = 1.03  # factor of a bound, for games under way when the LLR reached it
_RARE = 0.025  # the chance of what was observed at an end of an interval, where it can be computed
_SURE, _ROUNDS = 1e-10, 60  # an iteration ends at a change below _SURE, or after _ROUNDS rounds

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Sprt:
    """Two hypotheses about the strength of a player, and the allowed error rates.

    Attributes
    ----------
    elo0, elo1 : float
        Elo under H0 and H1 in the scale of the model; elo0 is below elo1.
    alpha, beta : float
        Probability of accepting H1 if H0 holds, and H0 if H1 holds; above 0, together below 1.
    model : {"normalized", "logistic"}

    Raises
    ------
    ValueError
        Hypotheses or error rates out of range.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05
    model: str = NORMALIZED

    def __post_init__(self) -> None:
        if not -MOST_ELO <= self.elo0 < self.elo1 <= MOST_ELO:
            raise ValueError(
                f"elo0 must be below elo1, both from {-MOST_ELO:g} to {MOST_ELO:g}; "
                f"got elo0={self.elo0:g} elo1={self.elo1:g}"
            )
        if not (self.alpha > 0.0 and self.beta > 0.0 and self.alpha + self.beta < 1.0):
            raise ValueError(
                f"alpha and beta must be above 0 with a sum below 1; got alpha={self.alpha:g} beta={self.beta:g}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """The values of the LLR at which the test accepts H0 and H1."""
        return math.log(self.beta / (1.0 - self.alpha)), math.log((1.0 - self.beta) / self.alpha)

    def llr(self, counts: npt.ArrayLike) -> Floats:
        """Return the log-likelihood ratio of H1 against H0.

        Parameters
        ----------
        counts : array of int, shape (..., 5)
            Pairs of each of `KINDS`, at least one.

        Returns
        -------
        ndarray of float, shape (...)

        Examples
        --------
        >>> round(float(Sprt(elo0=0, elo1=5).llr([21, 134, 309, 203, 60])), 2)
        3.0
        >>> round(float(Sprt(elo0=0, elo1=5, model="logistic").llr([21, 134, 309, 203, 60])), 2)
        4.37
        """
        table = np.asarray(counts, dtype=np.float64)
        cells = np.where(table == 0.0, _EMPTY, table).reshape(-1, len(KINDS))
        shares = cells / cells.sum(axis=1, keepdims=True)
        tilt = _tilt_of_t if self.model == NORMALIZED else _tilt_of_score
        logs = [tilt(shares, theta) for theta in (self.theta(self.elo0), self.theta(self.elo1))]
        return np.asarray((cells * (logs[0] - logs[1])).sum(axis=1).reshape(table.shape[:-1]))

    def theta(self, elo: float) -> float:
        """Return the model's parameter for a strength: the t-value of a pair, or the expected score."""
        return elo / _ELO_OF_T * math.sqrt(2.0) if self.model == NORMALIZED else score_of(elo)

    def walk(self, counts: npt.ArrayLike) -> tuple[float, float, float]:
        """Return the approximate step of the LLR with each pair: (its score - middle) / scale.

        Parameters
        ----------
        counts : array of int, shape (5,)

        Returns
        -------
        deviation, middle, scale : float
            The standard deviation of a pair's score; the expected score halfway between the hypotheses; the points of
            score per unit of LLR. See Van den Bergh, "Normalized Elo practical", section 4.2.
        """
        cells = np.asarray(counts, dtype=np.float64)
        mean = float(cells @ SCORES) / float(cells.sum())
        # Add a pair of score 0 and a pair of score 1, so that few pairs, or equal ones, do not feign certainty.
        variance = float(cells @ (SCORES - mean) ** 2 + mean**2 + (1.0 - mean) ** 2) / (float(cells.sum()) + 2.0)
        low, high = self.theta(self.elo0), self.theta(self.elo1)
        if self.model == NORMALIZED:
            low, high = (0.5 + math.sqrt(variance) * t for t in (low, high))
        return math.sqrt(variance), (low + high) / 2.0, variance / (high - low)

    def largest_step(self, counts: npt.ArrayLike) -> float:
        """Return approximately the most by which a pair can move the LLR."""
        _, middle, scale = self.walk(counts)
        return max(middle, 1.0 - middle) / scale

    def end(self, llr: Floats) -> tuple[int, str]:
        """Return after how many pairs the test ends, and which hypothesis it accepts: "H1", "H0", or "" for neither.

        Parameters
        ----------
        llr : ndarray of float, shape (pairs,)
            The LLR after each pair.
        """
        low, high = self.bounds
        outside = np.flatnonzero((llr <= low) | (llr >= high))
        if not outside.size:
            return llr.size, ""
        first = int(outside[0])
        return first + 1, "H1" if llr[first] >= high else "H0"

    def verdict(self, llr: float) -> str:
        """Return the hypothesis that an LLR accepts, or "" between the bounds."""
        return self.end(np.array([llr]))[1]


def counts_of(kinds: npt.ArrayLike) -> Ints:
    """Return the counts after each pair, int64 (pairs, 5), from the index of each pair's result in `KINDS`."""
    results = np.asarray(kinds, dtype=np.int64)
    return np.cumsum(results[:, None] == np.arange(len(KINDS)), axis=0, dtype=np.int64)


def score_of(elo: float) -> float:
    """Return the expected score of a strength in (logistic) Elo."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


def elo_of(score: float) -> float:
    """Return the strength in (logistic) Elo of an expected score; infinite for 0 and 1."""
    if not 0.0 < score < 1.0:
        return math.copysign(math.inf, score - 0.5)
    return -400.0 * math.log10(1.0 / score - 1.0)


class Strength(NamedTuple):
    """How strong the first player is.

    Attributes
    ----------
    score, elo, normalized : (float, float, float)
        An estimate and the ends of its 95 % interval: of the score of a game, in Elo, and in normalized Elo. Ends that
        no number of such pairs would set are infinite.
    stopped : bool
        Whether the interval accounts for a test that ended at a bound.
    """

    score: tuple[float, float, float]
    elo: tuple[float, float, float]
    normalized: tuple[float, float, float]
    stopped: bool


def strength(counts: npt.ArrayLike, test: Sprt) -> Strength:
    """Return the score and strength of the first player, with 95 % intervals.

    A sequential test ends early for lucky players, so the mean score of its games is biased. The score is modelled as a
    Brownian motion between the bounds. Then the estimate is median-unbiased, and the interval has an error of 2.5 % on
    either side. If the LLR is beyond a bound by more than the games under way explain, the number of games did not
    depend on the results. Then estimate and interval are those of a fixed number of pairs.

    If all pairs have the same result, nothing is known of their deviation. Every end is then that of the law under
    which this result has a probability of 2.5 %, and all other pairs are lost, or won. If all are won, Elo has no upper
    end. Normalized Elo has none either if all have the same score above 1/2, because their deviation may be 0.

    Parameters
    ----------
    counts : array of int, shape (5,)
        Pairs of each of `KINDS`, at least one.
    test : Sprt

    Examples
    --------
    >>> player = strength([21, 134, 309, 203, 60], Sprt(elo0=0, elo1=5))
    >>> [round(elo, 1) for elo in player.normalized], player.stopped
    ([52.2, 34.0, 70.4], True)
    """
    cells = np.asarray(counts, dtype=np.float64)
    llr, pairs = float(test.llr(cells)), float(cells.sum())
    deviation, middle, scale = test.walk(cells)
    mean = float(cells @ SCORES) / pairs
    low, high = test.bounds
    step = test.largest_step(cells)
    watched = low * _OVERSHOT - step <= llr <= high * _OVERSHOT + step
    endpoint, accepted = pairs * (mean - middle), test.verdict(llr)
    if watched and accepted:  # the walk approximates the LLR, and may not have reached the bound that the LLR has
        endpoint = max(endpoint, high * scale) if accepted == "H1" else min(endpoint, low * scale)
    drifts = drift_interval(endpoint, pairs, deviation, (low * scale, high * scale) if watched else None)
    score, least, most = (min(1.0, max(0.0, middle + drift)) for drift in drifts)

    def normalized(score: float) -> float:
        return _ELO_OF_T * (score - 0.5) / (math.sqrt(2.0) * deviation)

    ends = normalized(least), normalized(most)
    if int((cells > 0.0).sum()) == 1:
        other = 1.0 - math.pow(_RARE, 1.0 / pairs)  # largest share of pairs with another result
        least, most = mean * (1.0 - other), mean + (1.0 - mean) * other
        score, spread = min(most, max(least, score)), math.sqrt(other * (1.0 - other))
        t_low, t_high = (least - 0.5) / (spread * mean or 1.0), (most - 0.5) / (spread * (1.0 - mean) or 1.0)
        of_one = _ELO_OF_T / math.sqrt(2.0)
        ends = of_one * t_low if mean >= 0.5 else -math.inf, of_one * t_high if mean <= 0.5 else math.inf
    return Strength(
        (score, least, most),
        (elo_of(score), elo_of(least), elo_of(most)),
        (normalized(score), *ends),
        watched and accepted != "",
    )


def _tilt_of_score(shares: Floats, score: float) -> Floats:
    """Return ln(share / most likely share) of every result, given the expected score."""
    return _tilt(shares, np.broadcast_to(SCORES - score, shares.shape))


def _tilt_of_t(shares: Floats, t: float) -> Floats:
    """Return ln(share / most likely share) of every result, given t = (expected score - 1/2) / deviation.

    With u = score - 1/2 the constraint is E u = tau q, q^2 = E u^2, tau = t / sqrt(1 + t^2). The plane of laws with
    E[u - tau (u^2 / q + q) / 2] = 0 is tangent to these at laws with this q, so that law and q are improved in turn.
    """
    u, tau = SCORES - 0.5, t / math.hypot(1.0, t)
    q = np.full((len(shares), 1), math.sqrt(0.1))
    for _ in range(_ROUNDS):
        logs = _tilt(shares, u - 0.5 * tau * (u**2 / q + q))
        law = shares * np.exp(-logs)
        before, q = q, np.sqrt(law @ u**2)[:, None]
        if float(np.abs(q - before).max()) < _SURE:
            break
    return logs


def _tilt(shares: Floats, values: Floats) -> Floats:
    """Return ln(1 + x v) for the x with which the law share / (1 + x v) of the values v has mean 0.

    Newton's method, safeguarded by bisection between the poles; `values` has both signs in every row.
    """
    low, high = -1.0 / values.max(axis=1), -1.0 / values.min(axis=1)
    x = np.zeros(len(shares))
    for _ in range(_ROUNDS):
        parts = values / (1.0 + x[:, None] * values)
        mean, slope = (shares * parts).sum(axis=1), -(shares * parts**2).sum(axis=1)
        low, high = np.where(mean > 0.0, x, low), np.where(mean < 0.0, x, high)
        after = x - mean / slope
        after = np.where((after > low) & (after < high), after, 0.5 * (low + high))
        before, x = x, after
        if bool((np.abs(x - before) <= _SURE * (1.0 + np.abs(x))).all()):
            break
    return np.log1p(x[:, None] * values)
