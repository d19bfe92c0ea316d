"""Slopes of regret: a power law in the number of arms and in the gap, and a law of the logarithm in the horizon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from experiments.scaling.problems import ARMS, GAP, HORIZON
from experiments.statistics.ranks import resampled_means

if TYPE_CHECKING:
    import pandas as pd

DRAWS = 1_000  # bootstrap samples
_FEWEST = 4  # points of a line
LAWS = {ARMS: "R = a K^b", GAP: "R = a gap^b, larger half", HORIZON: "R = a + b ln T, larger half"}
"""What is fitted, and to which of the values."""
Floats = npt.NDArray[np.float64]


def fitted(x: Floats, means: Floats, varied: str) -> Floats:
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
    >>> fitted(x, 3.0 * x[None, :] ** 0.5, "arms").round(6).tolist()
    [0.5]
    """
    first = 0 if varied == ARMS else x.size // 2
    x, means = np.log(x[first:]), means[:, first:] if varied == HORIZON else np.log(means[:, first:])
    found: Floats = (means - means.mean(axis=1, keepdims=True)) @ (x - x.mean()) / np.sum((x - x.mean()) ** 2)
    return found


def slopes(regrets: dict[tuple[str, str], dict[float, Floats]], seed: int) -> pd.DataFrame:
    """Return one row for each policy and varied number: law, slope, and its 95 % interval by the bootstrap.

    Parameters
    ----------
    regrets : mapping
        Of each label and varied number: of each value, the regret of every replication. Fewer than four values have
        no slope.
    """
    import pandas as pd

    rows: list[tuple[Any, ...]] = []
    for (label, varied), own in regrets.items():
        if len(own) < _FEWEST:
            continue
        x = np.array(sorted(own))
        values = np.stack([own[one] for one in sorted(own)], axis=1)
        drawn = resampled_means(values, DRAWS, np.random.default_rng([seed, len(rows)]))
        slope = fitted(x, values.mean(axis=0)[None, :], varied)[0]
        low, high = np.percentile(fitted(x, drawn, varied), [2.5, 97.5])
        rows.append((label, varied, LAWS[varied], slope, low, high))
    return pd.DataFrame(rows, columns=["policy", "varied", "law", "slope", "ci_low", "ci_high"])
