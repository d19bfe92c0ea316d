"""Arms: their means in each replication, and the law that draws rewards from them.

Fixed means are the same in every replication; random means are drawn anew in each, and the mean regret is then the
Bayesian regret. Each law has a file in this folder, with its reward kernel, its divergence and its classes of arms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bandits.divergences import k_inf
from bandits.hooks import RewardLaw
from numerics import checks
from numerics.families import Declared, Family
from numerics.parameters import parameter
from numerics.random import Purpose, streams, unit

LARGEST = 1e100  # largest parameter of arms and policies: products of three of them stay finite
MOST = 10_000_000  # arms: the numbers of a replication then take a gigabyte

Floats = npt.NDArray[np.float64]


class Arms(Declared):
    """The arms of a bandit. A subclass defines their number, their means in each replication, and their law."""

    kind: ClassVar[str] = ""  # the name of the law, such as "Bernoulli"
    listed_in: ClassVar[str] = "means"  # the parameter that has an entry for each arm
    estimated: ClassVar[bool] = False  # whether the means are estimates, such as those of a click log
    changing: ClassVar[bool] = False  # whether the means change while the arms are played
    no_bound: ClassVar[str] = ""  # why they have no lower bound of Lai and Robbins, if a reader may expect one

    @property
    def reward_law(self) -> RewardLaw:
        """The hook that turns uniforms and means into rewards."""
        raise self._unfinished("reward_law")

    @property
    def law_params(self) -> Floats:
        """The law's argument `params`: float64 of shape (K, P), a row for each arm."""
        return np.zeros((self.count, 0))

    @property
    def reward_range(self) -> tuple[float, float]:
        """The ends of an interval that holds every reward."""
        return (0.0, 1.0) if self.reward_law.unit else (-math.inf, math.inf)

    @property
    def unit_rewards(self) -> bool:
        """Whether every reward lies in [0, 1]."""
        low, high = self.reward_range
        return low >= 0.0 and high <= 1.0

    @property
    def count(self) -> int:
        """K, the number of arms."""
        if self.fixed_means is None:
            raise self._unfinished("count")
        return len(self.fixed_means)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each arm in tables and figures."""
        return tuple(str(arm) for arm in range(self.count))

    @property
    def fixed_means(self) -> tuple[float, ...] | None:
        """The K means, or None if they differ between replications."""
        return None

    def draw_means(self, seed: int, first: int, runs: int) -> Floats:
        """Return the means of replications `first` ... `first + runs - 1`, float64 of shape (runs, K)."""
        if self.fixed_means is None:
            raise self._unfinished("draw_means")
        return np.tile(np.asarray(self.fixed_means, dtype=np.float64), (runs, 1))

    def segments(self, seed: int, first: int, runs: int, horizon: int) -> tuple[npt.NDArray[np.int64], Floats]:
        """Return when the means of replications `first` ... `first + runs - 1` change, and what they are then.

        Of arms that change: starts, int64 of shape (runs, S), and means, float64 of shape (runs, S, K). The means of
        segment s hold from step starts[r, s], counted from 0, until the next segment begins. starts[r, 0] is 0. A
        replication with fewer segments is padded with starts of `horizon` or more.
        """
        raise self._unfinished("segments")

    @property
    def dimension(self) -> int:
        """d, the number of features of each pull; 0 for arms without features."""
        return 0

    def with_features(
        self, seed: int, first: int, runs: int, horizon: int
    ) -> tuple[npt.NDArray[np.int64], Floats, Floats]:
        """Return what `segments` returns for segments of one step, and their features, (runs, horizon, d)."""
        raise self._unfinished("with_features")

    def segments_up_to(self, horizon: int) -> int:
        """Return the approximate number of segments of a replication: S in `segments`."""
        raise self._unfinished("segments_up_to")

    def check_horizon(self, horizon: int) -> None:
        """Raise ValueError for a horizon at which these arms cannot be played."""

    @property
    def moments(self) -> tuple[int, ...]:
        """The pulls after which the means change, if these are the same in all replications."""
        return ()

    def divergence(self, arms: npt.NDArray[np.int64], mean: float) -> Floats | None:
        """Return the divergence of each of some arms, by number, from the nearest law of this mean; None if unknown.

        It is the Kullback-Leibler divergence in nats, and the laws are those of `law_class`.
        """
        known, means = self.reward_law.divergence, self.fixed_means
        if means is None:
            return None
        if known is not None:
            own_means = np.asarray(means)[arms]
            return np.asarray(known(own_means, np.full_like(own_means, mean), self.law_params[arms]), dtype=np.float64)
        (_, high), laws = self._bounds, [self.distribution(int(arm)) for arm in arms]
        if high == math.inf or None in laws:
            return None
        return np.array([k_inf(*law, mean, high) for law in laws if law is not None])

    def distribution(self, arm: int) -> tuple[Floats, Floats] | None:
        """Return the values that an arm pays and their probabilities, or a quadrature; None if unknown."""
        known, means = self.reward_law.distribution, self.fixed_means
        return None if known is None or means is None else known(means[arm], self.law_params[arm])

    @property
    def _bounds(self) -> tuple[float, float]:
        """The ends of the interval on which the laws form a class, if no narrower class is known."""
        return (0.0, 1.0) if self.unit_rewards else self.reward_range

    def uniform_regret(self) -> float:
        """Return the expected pseudo-regret of a uniformly random pull: best mean minus average mean.

        For means drawn in every replication, the expectation is over them too; NaN if unknown.
        """
        if self.fixed_means is None:
            return math.nan
        means = np.asarray(self.fixed_means)
        return float(means.max() - means.mean())

    @property
    def largest_gap(self) -> float:
        """The largest possible regret of a pull; inf if unknown."""
        if self.fixed_means is None:
            low, high = self.reward_range
            return high - low
        return max(self.fixed_means) - min(self.fixed_means)

    def probe(self) -> None:
        """Raise ValueError for arms that cannot be played: fewer than two, or a user's law that fails."""
        if self.count < 2:
            raise ValueError(too_few(self.listed_in, self.count))
        self.probe_law()

    def probe_law(self) -> None:
        """Raise ValueError for a user's law that fails."""

    def describe(self) -> str:
        """Return a line that describes the arms with all their numbers."""
        raise self._unfinished("describe")

    @property
    def law_class(self) -> str:
        """The class of laws for which the lower bound of Lai and Robbins holds, such as "Bernoulli arms".

        For a law without a divergence it is the class of all laws on an interval, if the rewards lie in one.
        """
        if self.reward_law.divergence is not None:
            return f"{self.kind} arms"
        low, high = self._bounds
        return "" if high == math.inf else f"all laws on [{low:g}, {high:g}] (K_inf of Honda and Takemura 2010)"

    @property
    def title(self) -> str:
        """The arms in a few words, for titles of figures, such as "10 Bernoulli arms, means 0.1 to 0.9"."""
        kind, more, means = self.describe().partition(", means ")
        if self.fixed_means is not None:
            if self.count <= 3:
                return f"{kind}, means {', '.join(f'{mean:.4g}' for mean in self.fixed_means)}"
            return f"{kind}, means {min(self.fixed_means):.4g} to {max(self.fixed_means):.4g}"
        return kind + more + means.partition(" in every replication")[0]


def rows_of(name: str, value: Any, low: float = -math.inf, high: float = math.inf) -> tuple[tuple[float, ...], ...]:
    """Return a user's numbers for arms as rows: a single row for all arms, or a row for each.

    Raises
    ------
    ValueError
        Neither a list of numbers nor a list of such lists, or a number outside [low, high].
    """
    if isinstance(value, (str, bytes, Mapping)) or not np.iterable(value):
        raise ValueError(f"{name} must be a list of numbers, or a list of numbers for each arm; got {value!r}")
    given = list(value)
    several = any(np.iterable(row) and not isinstance(row, str) for row in given)
    rows = []
    for index, row in enumerate(given if several else [given]):
        key = f"{name}[{index}]" if several else name
        if isinstance(row, (str, bytes, Mapping)) or not np.iterable(row):
            raise ValueError(f"{key} must be a list of numbers, as for the other arms; got {row!r}")
        rows.append(
            tuple(checks.number(f"{key}[{i}]", number, low, high, most=LARGEST) for i, number in enumerate(row))
        )
    return tuple(rows)


def too_few(name: str, arms: int) -> str:
    """Return the error message for fewer than two arms."""
    return f"{name} must hold at least 2 arms; got {arms}"


def means_between(low: float, high: float) -> Callable[[str, Any], tuple[float, ...]]:
    """Return a function that checks a list of means."""

    def check(name: str, means: Any) -> tuple[float, ...]:
        if isinstance(means, (str, bytes, Mapping)) or not np.iterable(means):
            raise ValueError(f"{name} must be a list of numbers; got {checks.show(means)}")
        values = tuple(checks.number(f"{name}[{arm}]", mean, low, high) for arm, mean in enumerate(means))
        if not values:
            raise ValueError(too_few(name, 0))
        return values

    return check


def _adopt(value: Any, argument: str) -> Arms | None:
    """Return Bernoulli arms of a list of means."""
    if isinstance(value, str | bytes | Mapping) or not np.iterable(value):
        return None
    with checks.prefix_errors(argument):
        return Arms.make("bernoulli", means=tuple(value))


ARMS: Family[Arms] = Family("arms", Arms, "bernoulli means=[0.1,0.9]", _adopt)
"""All kinds of arms; a list of means is Bernoulli arms."""


class FixedArms(Arms):
    """Arms of the same law, with means that are the same in every replication."""

    details: ClassVar[str] = ""  # the law's numbers beside the means, for `describe`, such as ", concentration 10"
    means: Sequence[float] = parameter(check=means_between(-LARGEST, LARGEST), help="K >= 2 numbers")

    @property
    def fixed_means(self) -> tuple[float, ...] | None:
        return tuple(self.means)

    def describe(self) -> str:
        several = "s" if self.count > 1 else ""
        return f"{self.count} {self.kind} arm{several}, mean{several} {list_means(self.means)}{self.details}"

    def _column(self, number: float) -> Floats:
        """Return `law_params` with the same number for each arm."""
        return np.full((self.count, 1), number, dtype=np.float64)


def uniforms(seed: int, first: int, runs: int, arms: int) -> Floats:
    """Return a uniform for each replication and arm; those of replication r do not depend on the other replications."""
    words = [streams(seed, (Purpose.MEANS, group), first, runs) for group in range((arms + 3) // 4)]
    return np.ascontiguousarray(unit(np.concatenate(words, axis=1)[:, :arms]))


def list_means(means: Sequence[float]) -> str:
    """Return means as text on one line; of many, only the first and the last."""
    shown = [f"{mean:.4g}" for mean in means]
    return ", ".join(shown if len(shown) <= 12 else [*shown[:5], "...", *shown[-5:]])
