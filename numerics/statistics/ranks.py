"""Ranks of several means that were measured on the same units, with intervals by the paired bootstrap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
LEVEL = 0.95


@dataclass(frozen=True)
class Ranked:
    """Of P things measured on the same units, each array of shape (P,).

    Attributes
    ----------
    mean, ratio : float64
        The mean, and that over the least of all means.
    ratio_low, ratio_high : float64
        The 95 % interval of the ratio.
    rank, rank_low, rank_high : float64
        1 for the least mean, equals sharing the mean of their places; and the rank's 95 % interval.
    """

    mean: Floats
    ratio: Floats
    ratio_low: Floats
    ratio_high: Floats
    rank: Floats
    rank_low: Floats
    rank_high: Floats


def resampled_means(values: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Return the means of `draws` bootstrap samples of the units: float64 of shape (draws, P).

    Parameters
    ----------
    values : float64 of shape (units, P)
        A sample takes whole rows, so that what a unit does to all things alike stays in their differences.
    """
    units = len(values)
    counts = rng.multinomial(units, np.full(units, 1.0 / units), size=draws)
    found: Floats = counts @ values / units
    return found


def over(values: Floats, least: Floats) -> Floats:
    """Return values over the least one, 1 for equals; inf where that is 0, as the regret of a few lucky runs is.

    Examples
    --------
    >>> over(np.array([0.0, 3.0]), np.array(0.0)).tolist()
    [1.0, inf]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(values == least, 1.0, values / least)
    return found


def ranked(mean: Floats, drawn: Floats) -> Ranked:
    """Rank means, from themselves and their bootstrap samples: the interval holds the middle 95 % of those.

    Parameters
    ----------
    mean : float64 of shape (P,)
        Of all units; at least 0.
    drawn : float64 of shape (draws, P)
        See `resampled_means`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = np.stack([np.full(50, 1.0), np.full(50, 3.0)], axis=1)
    >>> found = ranked(values.mean(axis=0), resampled_means(values, 200, rng))
    >>> found.rank.tolist(), found.ratio.tolist()
    ([1.0, 2.0], [1.0, 3.0])
    """
    from scipy.stats import rankdata

    ends = [50.0 * (1.0 - LEVEL), 100.0 - 50.0 * (1.0 - LEVEL)]
    ratios = over(drawn, drawn[:, [mean.argmin()]])
    ranks = rankdata(drawn, axis=1)
    ratio_low, ratio_high = np.percentile(ratios, ends, axis=0, method="nearest")
    rank_low, rank_high = np.percentile(ranks, ends, axis=0, method="nearest")
    return Ranked(mean, over(mean, mean.min()), ratio_low, ratio_high, rankdata(mean), rank_low, rank_high)
