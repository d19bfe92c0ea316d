"""Arms that pay exponentially distributed rewards."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bandits.arms.base import LARGEST, FixedArms, Floats, means_between
from bandits.rules import reward_law
from numerics.parameters import parameter


def _divergence(p: Floats, q: Floats, params: Floats) -> Floats:
    """Return p / q - 1 - ln(p / q)."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = p / q
        divergence: Floats = ratio - 1.0 - np.log(ratio)
    return divergence


@reward_law(divergence=_divergence)
def exponential(uniform, mean, arm, params, reward):
    """Exponential: the quantile -mean ln(1 - u)."""
    for r in range(reward.size):
        reward[r] = -mean[r] * math.log1p(-uniform[r])


class Exponential(FixedArms, name="exponential"):
    """Arms that pay an exponential reward of mean `means[a]`, such as a waiting time.

    Parameters
    ----------
    means : sequence of float
        K >= 2 numbers of at least 0.

    Examples
    --------
    >>> Exponential([1.0, 2.0]).describe()
    '2 exponential arms, means 1, 2'
    """

    kind = "exponential"
    reward_law = exponential
    means: Sequence[float] = parameter(check=means_between(0.0, LARGEST), help="K >= 2 numbers of at least 0")
