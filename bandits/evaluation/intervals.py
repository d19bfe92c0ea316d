r"""Intervals of the value of a policy that is estimated from a log.

student     Student's t, corrected for skewness (`numerics.statistics.means`). Where fewer than 30 of the rows that
            carry the weight pay (`bandits.evaluation.limits`), the spread of w_i r_i is too small. The variance is then
            at least mean(w^2) times the variance under the policy of what is weighted, plus the variance of the rest.
            The skewness is treated likewise. Both are assumed to be alike for all arms.
bernstein   Proved for any sample size and known bounds of rewards, but wide. Maurer and Pontil's empirical Bernstein
            bound (2009) for clipped weights, and for what clipping leaves out (Bottou et al. 2013).
blocks      Student's t of the means of 20 blocks of time: where neighbouring rows depend on each other.

All follow rewards: with a r + b in place of every reward r, a > 0, an end e is a e + b. The intervals of ips and
clipped_ips do so for b = 0, or where all weights are 1, as these estimates themselves do.
"""

from __future__ import annotations

import numpy as np

from bandits.evaluation.estimators import Floats, Sample, Terms
from numerics.statistics.means import interval, interval_of, skewness, standard_error

INTERVALS = ("student", "bernstein", "blocks")
BLOCKS = 20
_MISSES = 0.05


def student(parts: Terms, few: bool) -> tuple[float, float]:
    """Return the ends of the interval of the mean of terms.

    Parameters
    ----------
    parts : Terms
    few : bool
        Whether so few rows pay that the variance and the skewness must have their least values.
    """
    values, weight, noise = parts
    error, skew = float(standard_error(values)), float(skewness(values))
    size = np.abs(weight)
    total = size.sum()
    if few and total > 0.0:
        noise = noise - size @ noise / total
        square, cube = size @ noise**2 / total, size @ noise**3 / total
        spread = float(np.mean(weight**2) * square + (values - weight * noise).var())
        error = max(error, float(np.sqrt(spread / values.size)))
        skew = max(skew, float(np.mean(weight**3) * cube / spread**1.5)) if spread > 0.0 else skew
    low, high = interval(values.mean(), error, skew, values.size)
    return float(low), float(high)


def interval_of_blocks(parts: Terms) -> tuple[float, float]:
    """Return the ends from the means of blocks of neighbouring rows."""
    means = np.array([part.mean() for part in np.array_split(parts.values, BLOCKS)])
    low, high = interval_of(means)
    return float(low), float(high)


def bernstein(sample: Sample, clip: float, least: float, most: float) -> tuple[float, float]:
    """Return the ends of an interval that covers the value with at least 95 %, for any number of rows.

    With g = r - least and R = most - least, E min(w, c) g <= value - least <= E min(w, c) g + R (1 - E min(w, c)). That
    makes three bounds, each wrong with probability at most 0.05 / 3.

    Parameters
    ----------
    sample : Sample
        With weights.
    clip : float
        The largest weight, c.
    least, most : float
        Bounds of every reward.
    """
    assert sample.weight is not None
    weight, reach = np.minimum(sample.weight, clip), most - least
    paid = weight * (sample.reward - least)
    margin = _bernstein_margin(paid, clip * reach)
    lost = 1.0 - weight.mean() + _bernstein_margin(weight, clip)
    low, high = paid.mean() - margin, paid.mean() + margin + reach * max(0.0, lost)
    return least + max(0.0, float(low)), least + min(reach, float(high))


def _bernstein_margin(values: Floats, reach: float) -> float:
    """Return how far the mean of values from 0 to `reach` is from its expectation on either side, at 0.05 / 3."""
    n = values.size
    if n < 2:
        return np.inf
    doubt = np.log(2.0 / (_MISSES / 3.0))
    return float(np.sqrt(2.0 * values.var(ddof=1) * doubt / n) + 7.0 * reach * doubt / (3.0 * (n - 1)))
