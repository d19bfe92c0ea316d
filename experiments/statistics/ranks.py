"""Ranks of several means that were measured on the same units, with intervals: by pairs, or by the paired bootstrap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numerics.means import interval_of

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


def ranked_by_pairs(values: Floats) -> Ranked:
    """Rank means by paired comparisons of each with all others, which hold together with 95 % confidence.

    The logarithm of m_i / m_j is as sure as the mean of x_i / m_i - x_j / m_j (delta method), which has the interval of
    `numerics.means.interval` at 1 - 0.05 / (P - 1). A mean has the ranks that these leave: after all that are surely
    less, before all that are surely more. Its ratio to the least of all means is the largest of its ratios, and lies
    between the largest lower end and the largest upper one: which mean is the least need not be known.

    Parameters
    ----------
    values : float64 of shape (units, P)
        At least 0; P at least 2.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.uniform(0.5, 1.5, (200, 3)) * [1.0, 1.0, 3.0]
    >>> found = ranked_by_pairs(values)
    >>> found.rank_low.tolist(), found.rank_high.tolist()
    ([1.0, 1.0, 3.0], [2.0, 2.0, 3.0])
    """
    from scipy.stats import rankdata

    mean, count = values.mean(axis=0), values.shape[1]
    ratio = over(mean, mean.min())
    scaled = values / np.where(mean > 0.0, mean, 1.0)
    low, high = np.ones(count), np.ones(count)
    first, last = np.ones(count), np.full(count, float(count))
    for i in range(count):
        others = np.arange(count) != i
        ends = interval_of(scaled[:, [i]] - scaled[:, others], 1.0 - (1.0 - LEVEL) / (count - 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(mean[i]) - np.log(mean[others])
        least, most = (np.where(np.isnan(logs), 0.0, logs + end) for end in ends)
        low[i], high[i] = np.exp(max(0.0, least.max())), np.exp(max(0.0, most.max()))
        first[i], last[i] = 1.0 + (least > 0.0).sum(), count - (most < 0.0).sum()
    return Ranked(mean, ratio, low, high, rankdata(mean), first, last)


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
