"""The machines: what the arms of a bandit pay.

An `Arms` says, for each replication, the K means; the reward law turns a mean and one uniform into a reward. Fixed
means are the same in every replication; random means are drawn anew in each: the mean regret is the Bayesian regret.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from numerics import checks

LARGEST = 1e100  # number that is told to arms or policies: products of three of them stay finite
_BETA = (1e-6, 1e6)  # parameters of a Beta law of means: off by 2e-7 in SciPy at these powers of ten, by 1 at 1e9
_MOST = 10_000_000  # arms: a replication's own numbers then fill a gigabyte
_MEANS_PURPOSE = 3  # of the random streams; 0 to 2 are the simulation's


class Arms:
    """What a bandit pays. Subclasses give the means of each replication, the law of rewards and its scale."""

    law: ClassVar[str] = ""
    scale: float = 1.0
    unit_rewards: ClassVar[bool] = False  # whether every reward lies in [0, 1]
    estimated: ClassVar[bool] = False  # whether the means are estimates, such as those of a click log
    fixed_means: tuple[float, ...] | None = None  # the K means where they are the same in every replication

    @property
    def count(self) -> int:
        """K, the number of arms."""
        raise NotImplementedError

    @property
    def names(self) -> tuple[str, ...]:
        """What each arm is called in tables and figures."""
        return tuple(str(arm) for arm in range(self.count))

    def means(self, seed: int, first: int, runs: int) -> npt.NDArray[np.float64]:
        """Return the means of replications `first` ... `first + runs - 1`, float64 of shape (runs, K)."""
        return np.tile(np.asarray(self.fixed_means, dtype=np.float64), (runs, 1))

    def describe(self) -> str:
        """Return one line that says what the arms are, with every number."""
        raise NotImplementedError


def _checked_means(means: Sequence[float], low: float, high: float) -> tuple[float, ...]:
    if isinstance(means, (str, bytes)) or not np.iterable(means):
        raise ValueError(f"means must be a list of numbers; got {means!r}")
    values = tuple(checks.number(f"means[{arm}]", mean, low, high) for arm, mean in enumerate(means))
    if len(values) < 2:
        raise ValueError(f"means must hold at least 2 arms, so that there is something to choose; got {len(values)}")
    return values


def _several(arms: int) -> int:
    return checks.whole("arms", arms, 2, most=_MOST)


@dataclass(frozen=True, init=False)
class Bernoulli(Arms):
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

    fixed_means: tuple[float, ...]
    labels: tuple[str, ...] | None
    law: ClassVar[str] = "bernoulli"
    unit_rewards: ClassVar[bool] = True

    def __init__(self, means: Sequence[float], labels: Sequence[str] | None = None):
        object.__setattr__(self, "fixed_means", _checked_means(means, 0.0, 1.0))
        if isinstance(labels, str) or not (labels is None or np.iterable(labels)):
            raise ValueError(f"labels must be a list of names, one an arm; got {labels!r}")
        object.__setattr__(self, "labels", None if labels is None else tuple(str(label) for label in labels))
        if self.labels is not None and len(self.labels) != len(self.fixed_means):
            raise ValueError(f"labels must name each of the {len(self.fixed_means)} arms; got {len(self.labels)} names")

    @property
    def count(self) -> int:  # noqa: D102
        return len(self.fixed_means)

    @property
    def names(self) -> tuple[str, ...]:  # noqa: D102
        return self.labels or super().names

    def describe(self) -> str:  # noqa: D102
        return f"{self.count} Bernoulli arms, means {_list(self.fixed_means)}"


@dataclass(frozen=True, init=False)
class Gaussian(Arms):
    """Arms that pay a normal reward of mean `means[a]` and one standard deviation for all.

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

    fixed_means: tuple[float, ...]
    scale: float
    law: ClassVar[str] = "gaussian"

    def __init__(self, means: Sequence[float], scale: float = 1.0):
        object.__setattr__(self, "fixed_means", _checked_means(means, -LARGEST, LARGEST))
        object.__setattr__(self, "scale", checks.number("scale", scale, 0.0, LARGEST, above=True))

    @property
    def count(self) -> int:  # noqa: D102
        return len(self.fixed_means)

    def describe(self) -> str:  # noqa: D102
        return f"{self.count} Gaussian arms, means {_list(self.fixed_means)}, standard deviation {self.scale:g}"


@dataclass(frozen=True)
class RandomBernoulli(Arms):
    """Bernoulli arms whose means are drawn from Beta(a, b), anew in every replication: Bayesian regret.

    Parameters
    ----------
    arms : int, default 10
        K >= 2.
    a, b : float, default 1
        Parameters of the Beta law, from 1e-6 to 1e6; Beta(1, 1) is uniform on [0, 1].

    Examples
    --------
    >>> RandomBernoulli(arms=2).means(seed=0, first=0, runs=3).shape
    (3, 2)
    """

    arms: int = 10
    a: float = 1.0
    b: float = 1.0
    law: ClassVar[str] = "bernoulli"
    unit_rewards: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _several(self.arms)
        checks.number("a", self.a, *_BETA)
        checks.number("b", self.b, *_BETA)

    @property
    def count(self) -> int:  # noqa: D102
        return self.arms

    def means(self, seed: int, first: int, runs: int) -> npt.NDArray[np.float64]:  # noqa: D102
        from scipy.special import betaincinv

        drawn: npt.NDArray[np.float64] = betaincinv(self.a, self.b, _uniforms(seed, first, runs, self.arms))
        return drawn

    def describe(self) -> str:  # noqa: D102
        return f"{self.arms} Bernoulli arms, means drawn from Beta({self.a:g}, {self.b:g}) in every replication"


@dataclass(frozen=True)
class RandomGaussian(Arms):
    """Gaussian arms whose means are drawn from N(center, spread^2), anew in every replication.

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

    arms: int = 10
    center: float = 0.0
    spread: float = 1.0
    scale: float = 1.0
    law: ClassVar[str] = "gaussian"

    def __post_init__(self) -> None:
        _several(self.arms)
        checks.number("center", self.center, -LARGEST, LARGEST)
        checks.number("spread", self.spread, 0.0, LARGEST, above=True)
        checks.number("scale", self.scale, 0.0, LARGEST, above=True)

    @property
    def count(self) -> int:  # noqa: D102
        return self.arms

    def means(self, seed: int, first: int, runs: int) -> npt.NDArray[np.float64]:  # noqa: D102
        from scipy.special import ndtri

        drawn: npt.NDArray[np.float64] = self.center + self.spread * ndtri(_uniforms(seed, first, runs, self.arms))
        return drawn

    def describe(self) -> str:  # noqa: D102
        return (
            f"{self.arms} Gaussian arms, means drawn from N({self.center:g}, {self.spread:g}^2) in every replication, "
            f"standard deviation {self.scale:g}"
        )


def _uniforms(seed: int, first: int, runs: int, arms: int) -> npt.NDArray[np.float64]:
    """Return one uniform for each replication and arm; replication r has the same ones whatever else is drawn."""
    from numerics.random import streams, unit

    words = [streams(seed, (_MEANS_PURPOSE, group), first, runs) for group in range((arms + 3) // 4)]
    return np.ascontiguousarray(unit(np.concatenate(words, axis=1)[:, :arms]))


def _list(means: Sequence[float]) -> str:
    shown = [f"{mean:.4g}" for mean in means]
    return ", ".join(shown if len(shown) <= 12 else [*shown[:5], "...", *shown[-5:]])
