"""Arms that pay 1 with probability equal to their mean, else 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.arms.base import MOST, Arms, FixedArms, Floats, means_between, uniforms
from bandits.rules import reward_law
from numerics import checks
from numerics.checks import escape_controls
from numerics.parameters import parameter

_LOW, _HIGH = 1e-6, 1e6  # range of a and b: SciPy's quantiles are off by 2e-7 at these ends, by 1 at 1e9


def bernoulli_kl(p: npt.ArrayLike, q: npt.ArrayLike) -> Floats:
    """Return kl(Bernoulli(p), Bernoulli(q)), elementwise, in nats; inf where q excludes an outcome of p.

    Examples
    --------
    >>> round(float(bernoulli_kl(0.5, 0.3)), 6)
    0.087177
    """
    from scipy.special import kl_div

    p_, q_ = checks.numbers_in("p", p), checks.numbers_in("q", q)
    total: Floats = np.zeros(np.broadcast_shapes(p_.shape, q_.shape))
    with np.errstate(all="ignore"):
        for a, b, d in ((p_, q_, p_ - q_), (1.0 - p_, 1.0 - q_, q_ - p_)):  # of each a ln(a / b) - d >= 0
            x = d / b
            series = 1 / 2 - x * (1 / 6 - x * (1 / 12 - x * (1 / 20 - x * (1 / 30 - x / 42))))
            total += np.where(np.abs(x) < 0.01, d * x * series, kl_div(a, b))  # its terms cancel where a is near b
    return total


@reward_law(
    unit=True,
    divergence=lambda p, q, params: bernoulli_kl(p, q),
    distribution=lambda mean, params: (np.array([0.0, 1.0]), np.array([1.0 - mean, mean])),
)
def bernoulli(uniform, mean, arm, params, reward):
    """1 with probability `mean`, else 0."""
    for r in range(reward.size):
        reward[r] = 1.0 if uniform[r] < mean[r] else 0.0


def _labels(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str | Mapping) or not np.iterable(value):
        raise ValueError(f"{name} must be a list of names, one an arm; got {value!r}")
    return tuple(escape_controls(str(label)) for label in value)


class Bernoulli(FixedArms, name="bernoulli"):
    """Arms that pay 1 with probability `means[a]`, else 0.

    Parameters
    ----------
    means : sequence of float
        K >= 2 probabilities in [0, 1].
    labels : sequence of str, optional
        A name for each arm; its number otherwise.

    Raises
    ------
    ValueError
        A mean outside [0, 1] or not finite, fewer than two arms, or labels of another length.

    Examples
    --------
    >>> arms = Bernoulli([0.1, 0.5, 0.9])
    >>> arms.count
    3
    """

    kind = "Bernoulli"
    reward_law = bernoulli
    means: Sequence[float] = parameter(check=means_between(0.0, 1.0), help="K >= 2 probabilities in [0, 1]")
    labels: Sequence[str] | None = parameter(None, check=_labels, help="a name for each arm")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.labels is not None and len(self.labels) != self.count:
            raise ValueError(f"labels must name each of the {self.count} arms; got {len(self.labels)} names")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(map(str, range(self.count))) if self.labels is None else tuple(self.labels)


class RandomBernoulli(Arms, name="random_bernoulli"):
    """Bernoulli arms whose means are drawn from Beta(a, b) anew in every replication, for Bayesian regret.

    Parameters
    ----------
    arms : int, default 10
        K >= 2.
    a, b : float, default 1
        Parameters of the Beta law, from 1e-6 to 1e6; Beta(1, 1) is uniform on [0, 1].

    Examples
    --------
    >>> RandomBernoulli(arms=2).draw_means(seed=0, first=0, runs=3).shape
    (3, 2)
    >>> round(RandomBernoulli(arms=3).uniform_regret(), 6)  # the best of three uniform numbers is 3/4 on average
    0.25
    """

    kind = "Bernoulli"
    reward_law = bernoulli
    arms: int = parameter(10, low=2, most=MOST, help="K >= 2")
    a: float = parameter(1.0, low=_LOW, high=_HIGH, help="first parameter of the Beta law of the means")
    b: float = parameter(1.0, low=_LOW, high=_HIGH, help="second parameter; Beta(1, 1) is uniform on [0, 1]")

    @property
    def count(self) -> int:
        return self.arms

    def draw_means(self, seed: int, first: int, runs: int) -> Floats:
        from scipy.special import betaincinv

        drawn: Floats = betaincinv(self.a, self.b, uniforms(seed, first, runs, self.arms))
        return drawn

    def uniform_regret(self) -> float:
        return self._mean_of_best() - self.a / (self.a + self.b)

    def _mean_of_best(self) -> float:
        """Return the expected largest of K draws from Beta(a, b): the integral of P(best > x) over [0, 1].

        We integrate over y = ln(x / (1 - x)), which widens laws that are narrow at an end. Cuts at quantiles resolve
        laws that are narrow in between; each part uses Gauss-Legendre quadrature.
        """
        from scipy.special import betaincc, betainccinv, expit, logit

        with np.errstate(all="ignore"):
            levels = expit(np.linspace(-28.0, 28.0, 57))
            quantiles = logit(betainccinv(self.a, self.b, -np.expm1(np.log(levels) / self.arms)))
            cuts = np.unique(np.concatenate([np.linspace(-60.0, 40.0, 101), np.clip(quantiles, -60.0, 40.0)]))
            nodes, weights = np.polynomial.legendre.leggauss(16)
            half = np.diff(cuts)[:, None] / 2.0
            y = cuts[:-1, None] + half * (1.0 + nodes)
            x = expit(y)
            above = -np.expm1(self.arms * np.log1p(-betaincc(self.a, self.b, x)))
            return float(np.sum(half * weights * above * x * expit(-y)))

    def describe(self) -> str:
        return f"{self.arms} Bernoulli arms, means drawn from Beta({self.a:g}, {self.b:g}) in every replication"
