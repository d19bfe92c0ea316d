"""Ranks and ratios on one problem, by paired comparisons of all policies."""

from __future__ import annotations

import numpy as np

from numerics.statistics.means import interval_of
from numerics.statistics.ranks import LEVEL, Floats, Ranked, over


def ranked_by_pairs(values: Floats) -> Ranked:
    """Rank means by paired comparisons of each with all others, which hold together with 95 % confidence.

    The logarithm of m_i / m_j is as sure as the mean of x_i / m_i - x_j / m_j (delta method), which has the interval of
    `numerics.statistics.means.interval` at 1 - 0.05 / (P - 1). A mean has the ranks that these leave: after all that
    are surely less, before all that are surely more. Its ratio to the least of all means is the largest of its ratios,
    and lies between the largest lower end and the largest upper one: which mean is the least need not be known.

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
        with np.errstate(over="ignore"):  # of few replications an end may be beyond every number
            low[i], high[i] = np.exp(max(0.0, least.max())), np.exp(max(0.0, most.max()))
        first[i], last[i] = 1.0 + (least > 0.0).sum(), count - (most < 0.0).sum()
    return Ranked(mean, ratio, low, high, rankdata(mean), first, last)
