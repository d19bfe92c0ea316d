"""Arms that pay Poisson rewards."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bandits.arms.base import FixedArms, Floats, means_between
from bandits.rules import reward_law
from numerics.parameters import parameter

_MOST = 500.0  # e^-mean does not underflow, and a reward takes about `mean` steps


def _divergence(p: Floats, q: Floats, params: Floats) -> Floats:
    """Return p ln(p / q) - p + q."""
    from scipy.special import kl_div

    divergence: Floats = kl_div(p, q)
    return divergence


@reward_law(divergence=_divergence)
def poisson(uniform, mean, arm, params, reward):
    """Poisson: the least k whose distribution function exceeds the uniform, by search from 0 upwards."""
    for r in range(reward.size):
        k, term = 0.0, math.exp(-mean[r])
        reached = term
        while reached <= uniform[r] and term > 0.0:
            k += 1.0
            term *= mean[r] / k
            reached += term
        reward[r] = k


class Poisson(FixedArms, name="poisson"):
    """Arms that pay a Poisson number of mean `means[a]`, such as clicks per day.

    Parameters
    ----------
    means : sequence of float
        K >= 2 numbers in [0, 500].

    Examples
    --------
    >>> Poisson([3.0, 4.0]).describe()
    '2 Poisson arms, means 3, 4'
    """

    kind = "Poisson"
    reward_law = poisson
    means: Sequence[float] = parameter(check=means_between(0.0, _MOST), help="K >= 2 numbers in [0, 500]")
