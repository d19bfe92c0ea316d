"""The minimal cost of identifying the best arm: the characteristic time of Garivier and Kaufmann."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bandits.arms.base import ARMS, Arms, Floats
from bandits.arms.bernoulli import bernoulli, bernoulli_kl
from bandits.arms.binomial import binomial
from bandits.arms.exponential import exponential
from bandits.arms.gaussian import gaussian
from bandits.arms.poisson import poisson
from numerics import checks

FAMILIES = (bernoulli, binomial, exponential, gaussian, poisson)  # laws of which m below is the nearest common mean
_HALVINGS = 60  # of the interval between two means


@dataclass(frozen=True, eq=False)
class CharacteristicTime:
    """The cost of identifying the best of some arms.

    Attributes
    ----------
    time : float
        T*, at least: pulls per ln(1 / delta). inf where the best mean is that of several arms.
    weights : float64[K]
        w*, the shares of pulls with which it is reached; they sum to 1. NaN where the time is inf.
    """

    time: float
    weights: Floats

    def pulls(self, delta: float) -> float:
        """Return T* kl(delta, 1 - delta), which the mean number of pulls of any delta-correct method exceeds.

        Garivier and Kaufmann 2016, theorem 1. A method is delta-correct if it names a worse arm with probability at
        most delta, whatever the means are.

        Parameters
        ----------
        delta : float
            In (0, 1); from 1/2 on the bound says nothing, and is 0.

        Raises
        ------
        ValueError
            `delta` outside (0, 1).
        """
        delta = checks.number("delta", delta, 0.0, 1.0, above=True, below=True)
        return self.time * float(bernoulli_kl(delta, 1.0 - delta)) if delta < 0.5 else 0.0


def characteristic_time(arms: Arms | Iterable[float]) -> CharacteristicTime:
    """Return T* and w*: the scale of the pulls needed to identify the best arm, and their optimal shares.

    1 / T* is the maximum over shares w of the minimum over the other arms b of

        w_a d(mu_a, m) + w_b d(mu_b, m),    m = (w_a mu_a + w_b mu_b) / (w_a + w_b),

    where a is the best arm and d the divergence of the arms' law. See Garivier and Kaufmann, "Optimal best arm
    identification with fixed confidence", COLT 2016, theorem 1 and lemma 3. At the maximum all these costs are equal.
    Bisection finds their common value, the root of an increasing function (theorem 5).

    Parameters
    ----------
    arms : Arms or sequence of float
        At least 2, of fixed means, whose laws are an exponential family and differ only in their means: Bernoulli,
        binomial, Gaussian, exponential or Poisson arms. A list of means stands for Bernoulli arms.

    Returns
    -------
    CharacteristicTime
        T* to about ten digits, and w*.

    Raises
    ------
    ValueError
        Means that are drawn anew in every replication, or a law that is no such family.

    Examples
    --------
    >>> known = characteristic_time([0.5, 0.45, 0.43, 0.4])
    >>> round(known.time, 4), [round(float(weight), 4) for weight in known.weights]
    (989.7921, [0.4165, 0.3903, 0.1362, 0.057])
    >>> round(known.pulls(0.05))
    2623
    """
    arms = ARMS.of(arms)
    if arms.fixed_means is None:
        raise ValueError(f"arms must have fixed means for a characteristic time; got {arms.describe()}")
    if arms.reward_law not in FAMILIES:
        raise ValueError(
            "arms must be Bernoulli, binomial, Gaussian, exponential or Poisson arms for a characteristic time; "
            f"got {arms.describe()}"
        )
    if arms.count < 2:
        raise ValueError(f"arms must be at least 2 for a characteristic time; got {arms.count}")
    means = np.asarray(arms.fixed_means, dtype=np.float64)
    best, order = int(means.argmax()), np.arange(means.size)
    others = np.flatnonzero(order != best)
    if means[others].max() == means[best]:
        return CharacteristicTime(math.inf, np.full(means.size, math.nan))
    if arms.reward_law is exponential and means.min() == 0.0:
        raise ValueError(f"arms must have means above 0 for a characteristic time; got {arms.describe()}")
    shares = np.ones(means.size)
    cost, shares[others] = _Rivals(arms, means[best], others).balanced()
    shares /= shares.sum()
    return CharacteristicTime(1.0 / (float(shares[best]) * cost), shares)


class _Rivals:
    """The arms that compete with the best, each with its cost per pull of the best arm."""

    def __init__(self, arms: Arms, best: float, others: npt.NDArray[np.int64]) -> None:
        self.best, self.means = np.full(others.size, best), np.asarray(arms.fixed_means)[others]
        self._law, self._params = arms.reward_law, arms.law_params[others]

    def divergence(self, means: Floats, common: Floats) -> Floats:
        """Return the divergence of laws of these means from those of the common means."""
        assert self._law.divergence is not None
        divergence: Floats = np.asarray(self._law.divergence(means, common, self._params), dtype=np.float64)
        return divergence

    def common_means(self, cost: float) -> Floats:
        """Return for each rival the m at which it costs so much per pull of the best arm.

        The cost is d(mu_a, m) + x d(mu_b, m) with x = (mu_a - m) / (m - mu_b) pulls of the rival, and falls in m.
        """
        low, high = self.means.copy(), self.best.copy()
        for _ in range(_HALVINGS):
            m = 0.5 * (low + high)
            with np.errstate(divide="ignore", invalid="ignore"):  # where floats end between m and a mean
                dear = self.divergence(self.best, m) + self._ratios(m) * self.divergence(self.means, m) > cost
            low, high = np.where(dear, m, low), np.where(dear, high, m)
        middle: Floats = 0.5 * (low + high)
        return middle

    def _ratios(self, m: Floats) -> Floats:
        ratios: Floats = (self.best - m) / (m - self.means)
        return ratios

    def balanced(self) -> tuple[float, Floats]:
        """Return the cost per pull of the best arm at the maximum, and each rival's pulls per pull of the best arm."""
        from scipy.optimize import brentq

        def excess(cost: float) -> float:
            """Return a decreasing function of theorem 5's sum, which has the value 0 where that sum is 1."""
            m = self.common_means(cost)
            with np.errstate(divide="ignore"):
                total = float(np.sum(self.divergence(self.best, m) / self.divergence(self.means, m)))
            return 1.0 / (1.0 + total) - 0.5

        most = float(self.divergence(self.best, self.means).min())
        if most == math.inf:  # a rival that never pays: no share of pulls reaches its cost
            most = 1.0
            while excess(most) > 0.0:
                most *= 2.0
        cost = float(brentq(excess, 0.0, most, xtol=1e-300, rtol=1e-14, maxiter=1_000))
        return cost, self._ratios(self.common_means(cost))
