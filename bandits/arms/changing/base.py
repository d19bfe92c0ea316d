"""The base of arms with changing means: the law and the first means of other arms, and the times of change."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bandits.arms.base import ARMS, Arms, FixedArms, Floats
from bandits.hooks import RewardLaw
from numerics import checks
from numerics.parameters import parameter
from numerics.random import Purpose, streams, unit

_NAMED = 6  # changes in a sentence
MOST_SEGMENTS = 50_000_000  # means of a replication: 400 MB

Steps = npt.NDArray[np.int64]


class ChangingArms(Arms):
    """Arms that pay by the law of other arms, with means that change while they are played."""

    changing: ClassVar[bool] = True
    moving: ClassVar[str] = "whose means change"  # how, in a word, for titles of figures
    listed_in = "arms"
    arms: Arms = parameter(of=ARMS, help="what gives the law and the first means, such as [0.3, 0.7]")

    def __post_init__(self) -> None:
        super().__post_init__()
        arms = self.arms
        if arms.changing or not (arms.fixed_means is None or _takes_means(arms)):
            raise ValueError(f"arms must be arms of a law and its means, such as [0.3, 0.7]; got {arms.describe()}")

    @property
    def kind(self) -> str:  # type: ignore[override]
        """The name of the law."""
        return self.arms.kind

    @property
    def reward_law(self) -> RewardLaw:
        return self.arms.reward_law

    @property
    def law_params(self) -> Floats:
        return self.arms.law_params

    @property
    def count(self) -> int:
        return self.arms.count

    @property
    def names(self) -> tuple[str, ...]:
        return self.arms.names

    @property
    def reward_range(self) -> tuple[float, float]:
        return self.arms.reward_range

    def draw_means(self, seed: int, first: int, runs: int) -> Floats:
        return self.segments(seed, first, runs, 1)[1][:, 0].copy()

    def probe_law(self) -> None:
        self.arms.probe_law()

    def check_horizon(self, horizon: int) -> None:
        if self.segments_up_to(horizon) * self.count > MOST_SEGMENTS:
            raise ValueError(
                f"horizon must be lower, or the means of {self.name} must change less often: at most "
                f"{MOST_SEGMENTS // self.count:,} times in a replication; got {horizon}"
            )

    def accept(self, name: str, means: Sequence[float]) -> tuple[float, ...]:
        """Return K means that the arms may have later, or raise ValueError if their law excludes them."""
        if len(means) != self.count:
            raise ValueError(f"{name} must hold a mean for each of the {self.count} arms; got {len(means)}")
        if not _takes_means(self.arms):
            raise ValueError(f"arms must have fixed means for {self.name}; got {self.arms.describe()}")
        with checks.prefix_errors(name):
            dataclasses.replace(self.arms, means=tuple(means))  # type: ignore[call-arg]
        return tuple(means)

    @property
    def fixed(self) -> Floats:
        """The first means, of arms that must have fixed ones."""
        return np.array(self.accept("arms", self.arms.fixed_means or ()))

    def describe(self) -> str:
        return f"{self.arms.describe()}; {self.how}"

    @property
    def how(self) -> str:
        """How the means change, for the end of `describe`."""
        raise self._unfinished("how")

    @property
    def title(self) -> str:
        return f"{self.count} {self.kind} arms {self.moving}"


def equal_segments(runs: int, every: int, horizon: int) -> Steps:
    """Return the starts of segments of `every` steps, int64[runs, S]."""
    return np.tile(np.arange(0, horizon, every, dtype=np.int64), (runs, 1))


def _takes_means(arms: Arms) -> bool:
    named = {field.name: field.init for field in dataclasses.fields(arms)}
    return isinstance(arms, FixedArms) and named.get("means", False)


def _changes(name: str, value: Any) -> tuple[int, ...]:
    if isinstance(value, (str, bytes, Mapping)) or not np.iterable(value):
        raise ValueError(
            f"{name} must be a list of pull numbers after which means change, such as [2000, 5000]; got {value!r}"
        )
    kept = tuple(checks.check_whole(f"{name}[{i}]", pulls, 1) for i, pulls in enumerate(value))
    for i, (before, after) in enumerate(itertools.pairwise(kept), 1):
        if after <= before:
            raise ValueError(f"{name}[{i}] must be above {name}[{i - 1}] = {before}; got {after}")
    return kept


class AbruptArms(ChangingArms):
    """Arms whose means jump at given moments, the same in all replications, or at random ones."""

    changes: Sequence[int] = parameter((), check=_changes, help="pulls after which means change, such as [2000, 5000]")
    rate: float = parameter(
        0.0, low=0.0, high=1.0, help="or the probability of a change before each pull after the first"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if bool(self.changes) == (self.rate > 0.0):
            left = " (changes=[] overrides a preset)" if self.changes else ""
            raise ValueError(
                "changes or rate must be given, such as changes=[2000, 5000] or rate=0.001, but not both; "
                f"got changes={list(self.changes)} and rate={self.rate:g}{left}"
            )

    @property
    def moments(self) -> tuple[int, ...]:
        return tuple(self.changes)

    def check_horizon(self, horizon: int) -> None:
        late = [pulls for pulls in self.changes if pulls >= horizon]
        if late:
            got = ", ".join(str(pulls) for pulls in late[:_NAMED]) + ", ..." * (len(late) > _NAMED)
            raise ValueError(f"arms.changes must be below the horizon, {horizon}; got {got}")
        super().check_horizon(horizon)

    def segments_up_to(self, horizon: int) -> int:
        return len(self.changes) + 1 if self.changes else int(horizon * self.rate) + 1

    def starts(self, seed: int, first: int, runs: int, horizon: int) -> Steps:
        """Return the step at which each segment begins, int64[runs, S]."""
        if self.changes:
            return np.tile(np.array([0, *self.changes], dtype=np.int64), (runs, 1))
        starts = [np.zeros(runs, np.int64)]
        with np.errstate(divide="ignore"):
            scale = -np.log1p(-self.rate)  # the time between two changes is geometric
        while (starts[-1] < horizon).any():
            uniform = unit(streams(seed, (Purpose.CHANGES, 0, len(starts)), first, runs)[:, 0])
            waited = np.minimum(np.floor(-np.log(uniform) / scale), float(horizon)).astype(np.int64)
            starts.append(np.minimum(starts[-1] + 1 + waited, horizon))
        return np.stack(starts[:-1] if len(starts) > 1 else starts, axis=1)

    @property
    def how(self) -> str:
        if self.changes:
            first, last = [f"{pulls:,}" for pulls in self.changes[:_NAMED]], f"{self.changes[-1]:,}"
            more = len(self.changes) - len(first)
            shown = (
                f"{'; '.join(first)}; ... {last}"
                if more
                else " and ".join(["; ".join(first[:-1]), last][len(first) < 2 :])
            )
            return f"{self.what} after {shown} pulls"
        return f"{self.what} with probability {self.rate:g} before each pull"

    @property
    def what(self) -> str:
        """What changes at these times."""
        raise self._unfinished("what")
