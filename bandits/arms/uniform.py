"""Arms that pay uniformly between 0 and twice their mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bandits.arms.base import FixedArms, Floats, means_between
from bandits.divergences import by_quantile
from bandits.rules import reward_law
from numerics.parameters import parameter


def _divergence(p: Floats, q: Floats, params: Floats) -> Floats:
    """Return ln(q / p), or inf where q < p: then arms of mean q never pay the largest rewards of mean p."""
    with np.errstate(divide="ignore", invalid="ignore"):
        divergence: Floats = np.where(q >= p, np.log(q / p), np.inf)
    return divergence


@reward_law(
    unit=True,
    divergence=_divergence,
    distribution=lambda mean, params: by_quantile(lambda u, rest: 2.0 * mean * u),
)
def uniform_law(uniform, mean, arm, params, reward):
    """Uniform on [0, 2 mean)."""
    for r in range(reward.size):
        reward[r] = 2.0 * mean[r] * uniform[r]


class Uniform(FixedArms, name="uniform"):
    """Arms that pay uniformly between 0 and twice `means[a]`.

    Parameters
    ----------
    means : sequence of float
        K >= 2 numbers in [0, 1/2], so that rewards lie in [0, 1].

    Examples
    --------
    >>> Uniform([0.2, 0.4]).describe()
    '2 uniform arms, means 0.2, 0.4'
    """

    kind = "uniform"
    reward_law = uniform_law
    means: Sequence[float] = parameter(check=means_between(0.0, 0.5), help="K >= 2 numbers in [0, 1/2]")
