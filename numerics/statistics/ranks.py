"""Ranks of several means measured on the same units, with intervals by the paired bootstrap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
LEVEL = 0.95


@dataclass(frozen=True)
class Ranked:
    """The ranking of P items measured on the same units; each array has shape (P,).

    Attributes
    ----------
    mean, ratio : float64
        The mean, and its ratio to the least mean.
    ratio_low, ratio_high : float64
        The 95 % interval of the ratio.
    rank, rank_low, rank_high : float64
        1 for the least mean, ties sharing the mean of their ranks; and the rank's 95 % interval.
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
        A sample takes whole rows, so that effects of a unit on all items cancel in their differences.
    """
    units = len(values)
    counts = rng.multinomial(units, np.full(units, 1.0 / units), size=draws)
    means: Floats = counts @ values / units
    return means


def with_bounds(means: Floats, units: int, bounds: Floats, rng: np.random.Generator) -> Floats:
    """Return resampled means, float64[draws, P], of which some items have one more value, their bound, in each sample.

    Its random weight is that of the bound in `numerics.statistics.bounded`. This is for items that are rarely near the
    bound, perhaps never in their `units`. `bounds` are float64[P], NaN for the other items.
    """
    means = means.copy()
    for item in np.flatnonzero(~np.isnan(bounds)):
        means[:, item] += rng.beta(1.0, units, size=len(means)) * (bounds[item] - means[:, item])
    return means


def ratios_to_least(values: Floats, least: Floats) -> Floats:
    """Return the ratios of values to the least, 1 for equal values; inf if the least is 0, as some regrets are.

    Examples
    --------
    >>> ratios_to_least(np.array([0.0, 3.0]), np.array(0.0)).tolist()
    [1.0, inf]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios: Floats = np.where(values == least, 1.0, values / least)
    return ratios


def rank_means(mean: Floats, drawn: Floats) -> Ranked:
    """Rank means; the intervals hold the middle 95 % of the bootstrap samples.

    Parameters
    ----------
    mean : float64 of shape (P,)
        Over all units; at least 0.
    drawn : float64 of shape (draws, P)
        The bootstrap samples, from `resampled_means`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = np.stack([np.full(50, 1.0), np.full(50, 3.0)], axis=1)
    >>> ranking = rank_means(values.mean(axis=0), resampled_means(values, 200, rng))
    >>> ranking.rank.tolist(), ranking.ratio.tolist()
    ([1.0, 2.0], [1.0, 3.0])
    """
    from scipy.stats import rankdata

    ends = [50.0 * (1.0 - LEVEL), 100.0 - 50.0 * (1.0 - LEVEL)]
    ratios = ratios_to_least(drawn, drawn[:, [mean.argmin()]])
    ranks = rankdata(drawn, axis=1)
    ratio_low, ratio_high = np.percentile(ratios, ends, axis=0, method="nearest")
    rank_low, rank_high = np.percentile(ranks, ends, axis=0, method="nearest")
    return Ranked(mean, ratios_to_least(mean, mean.min()), ratio_low, ratio_high, rankdata(mean), rank_low, rank_high)
