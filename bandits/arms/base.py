"""What a bandit is: the means of its arms in each replication, and the law that makes rewards of them.

Fixed means are the same in every replication; random means are drawn anew in each: the mean regret is then the Bayesian
regret. A law lies in a file of its own in this folder: its reward kernel, its divergence, and the classes of arms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bandits.hooks import RewardLaw
from numerics import checks
from numerics.parameters import Declared, parameter
from numerics.random import Purpose, streams, unit

LARGEST = 1e100  # number that is given to arms or policies: products of three of them stay finite
MOST = 10_000_000  # arms: a replication's own numbers then fill a gigabyte

Floats = npt.NDArray[np.float64]


class Arms(Declared):
    """What a bandit pays. A member says how many arms there are, their means in each replication, and their law."""

    estimated: ClassVar[bool] = False  # whether the means are estimates, such as those of a click log

    @property
    def reward_law(self) -> RewardLaw:
        """The hook that turns uniforms and means into rewards."""
        raise self._unfinished("reward_law")

    @property
    def reward_scale(self) -> float:
        """What the law finds in its argument `scale`, such as a standard deviation."""
        return 1.0

    @property
    def unit_rewards(self) -> bool:
        """Whether every reward lies in [0, 1]."""
        return self.reward_law.unit

    @property
    def count(self) -> int:
        """K, the number of arms."""
        raise self._unfinished("count")

    @property
    def names(self) -> tuple[str, ...]:
        """What each arm is called in tables and figures."""
        return tuple(str(arm) for arm in range(self.count))

    @property
    def fixed_means(self) -> tuple[float, ...] | None:
        """The K means where they are the same in every replication."""
        return None

    def draw_means(self, seed: int, first: int, runs: int) -> Floats:
        """Return the means of replications `first` ... `first + runs - 1`, float64 of shape (runs, K)."""
        raise self._unfinished("draw_means")

    def divergence(self, p: Floats, q: Floats) -> Floats | None:
        """Return the divergence of rewards of mean p from those of mean q, elementwise; None where it is not known."""
        known = self.reward_law.divergence
        return None if known is None else np.asarray(known(p, q, self.reward_scale), dtype=np.float64)

    def uniform_regret(self) -> float:
        """Return the expected pseudo-regret of one uniformly random pull: best mean minus average mean.

        Where the means are drawn anew in every replication, in expectation over them too; NaN where it is not known.
        """
        return math.nan

    def probe(self) -> None:
        """Refuse a user's law that does not work; ours always do."""

    def describe(self) -> str:
        """Return one line that says what the arms are, with every number."""
        raise self._unfinished("describe")

    @property
    def law_name(self) -> str:
        """What arms of this law are called, such as "Bernoulli arms": the class for which a lower bound holds."""
        return self.describe().partition(", ")[0].partition(" ")[2]

    @property
    def title(self) -> str:
        """What the arms are in a few words, for titles of figures, such as "10 Bernoulli arms, means 0.1 to 0.9"."""
        kind, found, means = self.describe().partition(", means ")
        if self.fixed_means is not None:
            return f"{kind}, means {min(self.fixed_means):.4g} to {max(self.fixed_means):.4g}"
        return kind + found + means.partition(" in every replication")[0]


def means_between(low: float, high: float) -> Callable[[str, Any], tuple[float, ...]]:
    """Return the check of a list of at least two means."""

    def check(name: str, means: Any) -> tuple[float, ...]:
        if isinstance(means, (str, bytes)) or not np.iterable(means):
            raise ValueError(f"{name} must be a list of numbers; got {means!r}")
        values = tuple(checks.number(f"{name}[{arm}]", mean, low, high) for arm, mean in enumerate(means))
        if len(values) < 2:
            raise ValueError(
                f"{name} must hold at least 2 arms, so that there is something to choose; got {len(values)}"
            )
        return values

    return check


class FixedArms(Arms):
    """Arms whose means are the same in every replication."""

    means: Sequence[float] = parameter(check=means_between(-LARGEST, LARGEST), help="K >= 2 numbers")

    @property
    def count(self) -> int:
        return len(self.means)

    @property
    def fixed_means(self) -> tuple[float, ...] | None:
        return tuple(self.means)

    def draw_means(self, seed: int, first: int, runs: int) -> Floats:
        return np.tile(np.asarray(self.means, dtype=np.float64), (runs, 1))

    def uniform_regret(self) -> float:
        means = np.asarray(self.means)
        return float(means.max() - means.mean())


def uniforms(seed: int, first: int, runs: int, arms: int) -> Floats:
    """Return one uniform for each replication and arm; replication r has the same ones whatever else is drawn."""
    words = [streams(seed, (Purpose.MEANS, group), first, runs) for group in range((arms + 3) // 4)]
    return np.ascontiguousarray(unit(np.concatenate(words, axis=1)[:, :arms]))


def listed(means: Sequence[float]) -> str:
    """Return means in a line; of many, the first and the last ones."""
    shown = [f"{mean:.4g}" for mean in means]
    return ", ".join(shown if len(shown) <= 12 else [*shown[:5], "...", *shown[-5:]])
