"""Arms that pay normal rewards with the same standard deviation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bandits.arms.base import LARGEST, MOST, Arms, FixedArms, Floats, means_between, uniforms
from bandits.rules import reward_law
from numerics.kernels.pointers import at
from numerics.parameters import parameter
from numerics.random import normal_quantile


def _divergence(p: Floats, q: Floats, params: Floats) -> Floats:
    """Return (p - q)^2 / (2 s^2), s the standard deviation."""
    with np.errstate(over="ignore", under="ignore"):
        half: Floats = 0.5 * ((p - q) / params[:, 0]) ** 2
    return half


@reward_law(divergence=_divergence)
def gaussian(uniform, mean, arm, params, reward):
    """Normal with standard deviation params[a, 0]: the quantile of the uniform, shifted half a grid step off 0."""
    for r in range(reward.size):
        inside = min(uniform[r] + 5.551115123125783e-17, 0.9999999999999999)  # the last half step would round to 1
        reward[r] = mean[r] + params[at(arm[r]), 0] * normal_quantile(inside)


class Gaussian(FixedArms, name="gaussian"):
    """Arms that pay a normal reward of mean `means[a]`, with the same standard deviation for all arms.

    Parameters
    ----------
    means : sequence of float
        K >= 2 finite numbers.
    scale : float, default 1
        The standard deviation, above 0.

    Examples
    --------
    >>> Gaussian([0.0, 1.0], scale=0.5).describe()
    '2 Gaussian arms, means 0, 1, standard deviation 0.5'
    """

    kind = "Gaussian"
    reward_law = gaussian
    means: Sequence[float] = parameter(check=means_between(-LARGEST, LARGEST), help="K >= 2 finite numbers")
    scale: float = parameter(1.0, low=0.0, high=LARGEST, above=True, help="standard deviation of the rewards")

    @property
    def law_params(self) -> Floats:
        return self._column(self.scale)

    @property
    def details(self) -> str:  # type: ignore[override]
        """The law's numbers beside the means."""
        return f", standard deviation {self.scale:g}"


class RandomGaussian(Arms, name="random_gaussian"):
    """Gaussian arms whose means are drawn from N(center, spread^2) anew in every replication.

    With the defaults this is the ten-armed testbed of Sutton and Barto, Reinforcement Learning (2018), section 2.3.

    Parameters
    ----------
    arms : int, default 10
        K >= 2.
    center, spread : float, default 0 and 1
        Mean and standard deviation (above 0) of the means.
    scale : float, default 1
        Standard deviation of the rewards, above 0.
    """

    kind = "Gaussian"
    reward_law = gaussian
    arms: int = parameter(10, low=2, most=MOST, help="K >= 2")
    center: float = parameter(0.0, low=-LARGEST, high=LARGEST, help="mean of the means")
    spread: float = parameter(1.0, low=0.0, high=LARGEST, above=True, help="standard deviation of the means")
    scale: float = parameter(1.0, low=0.0, high=LARGEST, above=True, help="standard deviation of the rewards")

    @property
    def law_params(self) -> Floats:
        return np.full((self.arms, 1), self.scale)

    @property
    def count(self) -> int:
        return self.arms

    def draw_means(self, seed: int, first: int, runs: int) -> Floats:
        from scipy.special import ndtri

        drawn: Floats = self.center + self.spread * ndtri(uniforms(seed, first, runs, self.arms))
        return drawn

    def uniform_regret(self) -> float:
        from scipy.integrate import quad
        from scipy.special import ndtr

        # The mean of X is the integral of P(X > x) over x > 0 minus that of P(X <= x) over x < 0.
        above = quad(lambda x: 1.0 - ndtr(x) ** self.arms, 0.0, np.inf)[0]
        below = quad(lambda x: ndtr(x) ** self.arms, -np.inf, 0.0)[0]
        return float(self.spread * (above - below))

    def describe(self) -> str:
        return (
            f"{self.arms} Gaussian arms, means drawn from N({self.center:g}, {self.spread:g}^2) in every replication, "
            f"standard deviation {self.scale:g}"
        )
