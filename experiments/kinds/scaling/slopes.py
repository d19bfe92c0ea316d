"""Slopes of regret: a power law in the number of arms and in the gap, and a law of the logarithm in the horizon."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bandits import Arms, Bernoulli
from numerics.output import tables
from numerics.statistics.bounded import mean_interval

if TYPE_CHECKING:
    import pandas as pd

ARMS, GAP, HORIZON = "arms", "gap", "horizon"


@dataclass(frozen=True)
class Point:
    """One problem: K arms of mean 1/2 - gap / 2, but the first of mean 1/2 + gap / 2."""

    varied: str
    value: float
    count: int
    gap: float
    horizon: int

    @property
    def name(self) -> str:
        """What is varied, and its value."""
        return f"{self.varied}_{self.value:g}"

    @property
    def arms(self) -> Arms:
        """The arms."""
        return Bernoulli([0.5 + self.gap / 2.0, *[0.5 - self.gap / 2.0] * (self.count - 1)])


def points(
    numbers_of_arms: list[int], gaps: list[float], horizons: list[int], arms: int, gap: float, horizon: int
) -> Iterator[Point]:
    """Yield the problems in which one number is varied and the others stay."""
    yield from (Point(ARMS, count, count, gap, horizon) for count in numbers_of_arms)
    yield from (Point(GAP, value, arms, value, horizon) for value in gaps)
    yield from (Point(HORIZON, steps, arms, gap, steps) for steps in horizons)


_FEWEST = 4  # points of a line
LAWS = {ARMS: "R = a K^b", GAP: "R = a gap^b, larger half", HORIZON: "R = a + b ln T, larger half"}
"""The law that is fitted, and the values to which it is fitted."""
Floats = npt.NDArray[np.float64]


def fit_slopes(x: Floats, means: Floats, varied: str) -> Floats:
    """Return the slope b of each row of means against x, by least squares.

    Parameters
    ----------
    x : float64 of shape (points,)
        Above 0.
    means : float64 of shape (rows, points)
        Above 0.
    varied : {"arms", "gap", "horizon"}
        Of "horizon" the law is R = a + b ln T, of the others R = a x^b, fitted to logarithms. Of horizons and gaps the
        larger half is fitted: the laws are those of a long play, in which the gap can be seen.

    Examples
    --------
    >>> x = np.array([2.0, 4.0, 8.0])
    >>> fit_slopes(x, 3.0 * x[None, :] ** 0.5, "arms").round(6).tolist()
    [0.5]
    """
    weights = _weights(x, varied)
    means = means[:, x.size - weights.size :]
    slopes: Floats = (means if varied == HORIZON else np.log(means)) @ weights
    return slopes


def interval_of_slope(x: Floats, values: Floats, varied: str, bounds: Floats | None = None) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a fitted slope.

    The slope is a sum of w_j m_j over the means m_j, or of w_j ln m_j. The latter changes by w_j / m_j times the change
    of m_j (delta method). So its interval is that of the mean of one number per replication, which
    `numerics.statistics.bounded.mean_interval` computes.

    Parameters
    ----------
    x : float64 of shape (points,)
    values : float64 of shape (runs, points)
        The regret of every replication at every point, whose mean is above 0.
    varied : {"arms", "gap", "horizon"}
        As for `fit_slopes`.
    bounds : float64 of shape (points,), optional
        At each point the `bandits.bounds.regret_bound` of the policy.
    """
    slope, moved = fit_slopes(x, values.mean(axis=0)[None, :], varied)[0], _weights(x, varied)
    first = x.size - moved.size
    if varied != HORIZON:
        moved = moved / values[:, first:].mean(axis=0)
    off = values[:, first:] @ moved
    least, most = math.nan, math.nan
    if bounds is not None and not np.isnan(bounds[first:]).all():
        reach = moved * np.fmax(bounds[first:], values[:, first:].max(axis=0))
        least, most = float(np.minimum(reach, 0.0).sum()), float(np.maximum(reach, 0.0).sum())
    low, high = mean_interval(off - off.mean(), least - off.mean(), most - off.mean())
    return slope + float(low), slope + float(high)


def _weights(x: Floats, varied: str) -> Floats:
    """Return the weights w_j of the fitted means in the slope of a least-squares line."""
    x = np.log(x[0 if varied == ARMS else x.size // 2 :])
    weights: Floats = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
    return weights


def slopes(
    regrets: dict[tuple[str, str], dict[float, Floats]], bounds: dict[tuple[str, str], dict[float, float]] | None = None
) -> pd.DataFrame:
    """Return one row for each policy and varied number: law, slope, and its 95 % interval.

    Parameters
    ----------
    regrets : mapping
        Of each label and varied number: of each value, the regret of every replication. Fewer than four values have
        no slope.
    bounds : mapping, optional
        As `regrets`: of each the `bandits.bounds.regret_bound`.
    """
    rows: list[tuple[Any, ...]] = []
    for (label, varied), by_value in regrets.items():
        if len(by_value) < _FEWEST:
            continue
        x = np.array(sorted(by_value))
        values = np.stack([by_value[value] for value in sorted(by_value)], axis=1)
        reach = None if bounds is None else np.array([bounds[label, varied][value] for value in sorted(by_value)])
        slope = float(fit_slopes(x, values.mean(axis=0)[None, :], varied)[0])
        rows.append((label, varied, LAWS[varied], slope, *interval_of_slope(x, values, varied, reach)))
    return tables.table_of(rows, columns=["policy", "varied", "law", "slope", "ci_low", "ci_high"])
