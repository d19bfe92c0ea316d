"""Policies to evaluate that do not learn: fixed probabilities of the arms of a log."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.logs.files import LOGS, LogFile
from bandits.logs.log import Log
from numerics.checks import number_list, under
from numerics.families import Declared, Family
from numerics.parameters import did_you_mean, parameter

_NEARLY_ONE = 1e-6  # by how much probabilities may miss 1, as those that were rounded do
_NAMED = 8  # arms that a sentence names

Floats = npt.NDArray[np.float64]


class Target(Declared):
    """A policy that shows every arm with a fixed probability."""

    def probabilities(self, names: Sequence[str]) -> tuple[Floats, float]:
        """Return the probability of each arm of a log, and that of arms which it does not have.

        Raises
        ------
        ValueError
            An arm that the log does not have, where that is a mistake.
        """
        raise self._unfinished("probabilities")

    @property
    def title(self) -> str:
        """What tables and figures call it."""
        return TARGETS.text(self)


class UniformPolicy(Target, name="uniform"):
    """Every arm of the log with the same probability."""

    def probabilities(self, names: Sequence[str]) -> tuple[Floats, float]:
        """As `Target` says."""
        return np.full(len(names), 1.0 / len(names)), 0.0


class SingleArm(Target, name="arm"):
    """Always the same arm."""

    arm: str = parameter(help="its name in the log")

    def probabilities(self, names: Sequence[str]) -> tuple[Floats, float]:
        """As `Target` says."""
        chosen = np.zeros(len(names))
        chosen[_place("arm", self.arm, names)] = 1.0
        return chosen, 0.0

    @property
    def title(self) -> str:
        """As `Target` says."""
        return f"only {self.arm}"


def _names(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ValueError(f"{name} must be a list of arms; got {value!r}")
    if len(set(map(str, value))) < len(value):
        raise ValueError(f"{name} must be different; got {list(value)}")
    return tuple(map(str, value))


class GivenProbabilities(Target, name="probabilities"):
    """Given probabilities of some arms; the others are not shown."""

    arms: tuple[str, ...] = parameter(check=_names, help="names of arms in the log")
    shares: tuple[float, ...] = parameter(check=number_list, help="the probability of each; together 1")

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.shares) != len(self.arms):
            raise ValueError(f"shares must be as many as arms, which are {len(self.arms)}; got {len(self.shares)}")
        if min(self.shares, default=0.0) < 0.0 or abs(math.fsum(self.shares) - 1.0) > _NEARLY_ONE:
            raise ValueError(f"shares must be probabilities that sum to 1; got {list(self.shares)}")

    def probabilities(self, names: Sequence[str]) -> tuple[Floats, float]:
        """As `Target` says."""
        shown = np.zeros(len(names))
        for at, (arm, share) in enumerate(zip(self.arms, self.shares, strict=True)):
            shown[_place(f"arms[{at}]", arm, names)] = share
        return shown / shown.sum(), 0.0

    @property
    def title(self) -> str:
        """As `Target` says."""
        if len(self.arms) > _NAMED:
            return super().title
        return ", ".join(
            f"{100.0 * share:.3g} % {arm}" for arm, share in zip(self.arms, self.shares, strict=True) if share > 0.0
        )


class OfLog(Target, name="of_log"):
    """The shares of arms in a log: what the policy that wrote it did on average."""

    log: LogFile = parameter(of=LOGS, help="the log, such as {name: rows, path: other.csv}")

    def probabilities(self, names: Sequence[str]) -> tuple[Floats, float]:
        """As `Target` says."""
        with under("log"):
            return SharesOf(self.log.read()).probabilities(names)

    @property
    def title(self) -> str:
        """As `Target` says."""
        return f"shares of {self.log.path}"


class SharesOf(Target):
    """The shares of arms in a log that has been read."""

    log: Log

    def probabilities(self, names: Sequence[str]) -> tuple[Floats, float]:
        """As `Target` says."""
        if self.log.rewards is not None:
            raise ValueError("name must not be wide: no policy wrote such a log")
        count = np.bincount(self.log.arm, minlength=len(self.log.names))
        share = dict(zip(self.log.names, count / len(self.log), strict=True))
        shown = np.array([share.pop(name, 0.0) for name in names])
        return shown, float(sum(share.values()))


TARGETS: Family[Target] = Family("policy to evaluate", Target, "arm arm=7", called=lambda target: target.title)
"""Policies with fixed probabilities."""


def _place(argument: str, arm: str, names: Sequence[str]) -> int:
    if arm not in names:
        known = f"{', '.join(names[:_NAMED])}{', ...' if len(names) > _NAMED else ''}"
        raise ValueError(
            f"{argument} must be one of the {len(names)} arms of the log ({known}); got {arm!r}"
            f"{did_you_mean(arm, names)}"
        )
    return list(names).index(arm)
