"""Fixed policies to evaluate: probabilities of the arms of a log, constant or for each row."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.logs.forms import LOGS, LogForm
from bandits.logs.log import Log, alike, number_of
from bandits.policies.base import POLICIES
from numerics.checks import escape_controls, number_list, prefix_errors
from numerics.families import Declared, Family
from numerics.parameters import did_you_mean, parameter

_NEARLY_ONE = 1e-6  # by how much probabilities may miss 1, as those that were rounded do
_ROUNDED = 0.01  # by how much those of a row may, of many arms
_NAMED = 8  # arms that a sentence names
_MOST_SHARES = 50_000_000  # probabilities of a policy that has some for every row: 400 MB

Floats = npt.NDArray[np.float64]


class Target(Declared):
    """A policy that shows every arm with a known probability."""

    @property
    def log_columns(self) -> tuple[str, ...]:
        """The additional columns of the log's file that it needs."""
        return ()

    def probabilities(self, log: Log) -> tuple[Floats, float]:
        """Return the probability of each arm of a log, and that of arms which it does not have.

        Returns
        -------
        probabilities : ndarray of float64, shape (K,) or (n, K)
        elsewhere : float

        Raises
        ------
        ValueError
            An arm or a column that the log does not have, where that is a mistake.
        """
        raise self._unfinished("probabilities")

    @property
    def title(self) -> str:
        """Its name in tables and figures."""
        return TARGETS.text(self)


class UniformPolicy(Target, name="uniform"):
    """Every arm of the log with the same probability."""

    def probabilities(self, log: Log) -> tuple[Floats, float]:
        """As `Target` says."""
        return np.full(len(log.names), 1.0 / len(log.names)), 0.0


def _name(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a name; put true, false and null in quotes; got {value!r}")
    return value


class SingleArm(Target, name="arm"):
    """Always the same arm."""

    arm: str = parameter(check=_name, help="its name in the log")

    def probabilities(self, log: Log) -> tuple[Floats, float]:
        """As `Target` says."""
        chosen = np.zeros(len(log.names))
        chosen[_place("arm", self.arm, log.names)] = 1.0
        return chosen, 0.0

    @property
    def title(self) -> str:
        """As `Target` says."""
        return f"only {self.arm}"


def _names(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ValueError(f"{name} must be a list of names; got {value!r}")
    names = tuple(
        _name(f"{name}[{at}]", str(each) if type(each) in (int, float) else each) for at, each in enumerate(value)
    )
    if len(set(names)) < len(names):
        raise ValueError(f"{name} must not have duplicates; got {list(value)}")
    return names


class GivenProbabilities(Target, name="probabilities"):
    """Given probabilities of some arms; the others are not shown."""

    arms: tuple[str, ...] = parameter(check=_names, help="names of arms in the log")
    shares: tuple[float, ...] = parameter(check=number_list, help="the probability of each arm; they sum to 1")

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.shares) != len(self.arms):
            raise ValueError(f"shares must have one number for each of {len(self.arms)} arms; got {len(self.shares)}")
        if min(self.shares, default=0.0) < 0.0 or abs(math.fsum(self.shares) - 1.0) > _NEARLY_ONE:
            raise ValueError(f"shares must be probabilities that sum to 1; got {list(self.shares)}")

    def probabilities(self, log: Log) -> tuple[Floats, float]:
        """As `Target` says."""
        shown = np.zeros(len(log.names))
        for at, (arm, share) in enumerate(zip(self.arms, self.shares, strict=True)):
            shown[_place(f"arms[{at}]", arm, log.names)] = share
        return shown / shown.sum(), 0.0

    @property
    def title(self) -> str:
        """As `Target` says."""
        if len(self.arms) > _NAMED:
            return super().title
        return ", ".join(
            f"{100.0 * share:.3g} % {arm}" for arm, share in zip(self.arms, self.shares, strict=True) if share > 0.0
        )


class ColumnsOfLog(Target, name="columns"):
    """What a new model would have done in each row: columns of the log's file with its probabilities of arms."""

    arms: tuple[str, ...] = parameter(check=_names, help="names of arms in the log; other arms have probability 0")
    columns: tuple[str, ...] = parameter(check=_names, help="for each arm, the column of its probability in every row")

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.columns) != len(self.arms):
            raise ValueError(f"columns must have one name for each of {len(self.arms)} arms; got {len(self.columns)}")

    @property
    def log_columns(self) -> tuple[str, ...]:
        """As `Target` says."""
        return self.columns

    def probabilities(self, log: Log) -> tuple[Floats, float]:
        """As `Target` says."""
        _check_size(log)
        shown = np.zeros((len(log), len(log.names)))
        for at, (arm, column) in enumerate(zip(self.arms, self.columns, strict=True)):
            if column not in log.columns:
                raise ValueError(f"columns[{at}] must be among the columns read with the log; got {column!r}")
            shown[:, _place(f"arms[{at}]", arm, log.names)] = log.columns[column]
        return ByRows(shown).probabilities(log)

    @property
    def title(self) -> str:
        """As `Target` says."""
        more = f", ... of {len(self.columns)}" if len(self.columns) > _NAMED else ""
        return f"columns {', '.join(self.columns[:_NAMED])}{more}"


class ByRows(Target):
    """Probabilities of the arms in each row of a log, float64[n, K]."""

    table: Floats

    def probabilities(self, log: Log) -> tuple[Floats, float]:
        """As `Target` says."""
        _check_size(log)
        shape = len(log), len(log.names)
        if not np.issubdtype(self.table.dtype, np.number) and self.table.dtype != bool:
            raise ValueError(f"probabilities must be an array of numbers; got dtype {self.table.dtype}")
        if self.table.shape != shape:
            raise ValueError(f"probabilities must have shape {shape} (rows, arms); got {self.table.shape}")
        total = self.table.sum(axis=1)
        wrong = ~((np.abs(total - 1.0) <= _ROUNDED) & (self.table >= 0.0).all(axis=1))
        if wrong.any():
            row = int(wrong.argmax())
            given = ", ".join(f"{share:g}" for share in self.table[row, :_NAMED])
            raise ValueError(
                f"probabilities must be at least 0 and sum to 1 in every row; got {given}"
                f"{', ...' * (shape[1] > _NAMED)} with sum {total[row]:g} in row {row + 1:,} of the log"
            )
        return self.table / total[:, None], 0.0


class OfLog(Target, name="of_log"):
    """The shares of arms in a log: what the policy that wrote it did on average."""

    log: LogForm = parameter(of=LOGS, help="the log, such as {name: rows, path: other.csv}")

    def probabilities(self, log: Log) -> tuple[Floats, float]:
        """As `Target` says."""
        with prefix_errors("log"):
            return SharesOf(self.log.read()).probabilities(log)

    @property
    def title(self) -> str:
        """As `Target` says."""
        return f"shares of {escape_controls(self.log.title)}"


class SharesOf(Target):
    """The shares of arms in a log that has been read."""

    log: Log

    def probabilities(self, log: Log) -> tuple[Floats, float]:
        """As `Target` says."""
        if self.log.rewards is not None:
            raise ValueError("name must not be wide: a wide log has no logging policy")
        count = np.bincount(self.log.arm, minlength=len(self.log.names))
        share = dict(zip(self.log.names, count / len(self.log), strict=True))
        shown = np.array([share.pop(name, 0.0) for name in log.names])
        return shown, float(sum(share.values()))


TARGETS: Family[Target] = Family(
    "policy to evaluate",
    Target,
    "arm arm=7",
    called=lambda target: target.title,
    hint=lambda name: ", a policy that learns; give it in learners" if name in POLICIES.members else "",
)
"""Policies with fixed probabilities."""

LEARNERS = dataclasses.replace(
    POLICIES,
    hint=lambda name: ", a fixed policy; give it in policies" if name in TARGETS.members else "",
)
"""Policies that learn, where those to evaluate stand beside them."""


def _check_size(log: Log) -> None:
    """Raise ValueError for a log of which probabilities for every row and arm would be too many."""
    rows, arms = len(log), len(log.names)
    if rows * arms > _MOST_SHARES:
        raise ValueError(
            f"probabilities must have at most {_MOST_SHARES:,} entries (rows times arms); got {rows:,} rows of "
            f"{arms:,} arms; use at most {_MOST_SHARES // arms:,} rows, or fewer arms"
        )


def _place(argument: str, arm: str, names: Sequence[str]) -> int:
    """Return which arm of the log is meant.

    A number loses its form on the way, such as 1.50, which comes as 1.5: it means the arm of that value.
    """
    number = number_of(arm)
    is_fraction = number is not None and arm == str(float(arm))  # perhaps written in another way
    if arm in names and not is_fraction:
        return list(names).index(arm)
    same = alike(arm, names)
    if len(same) == 1:
        return list(names).index(same[0])
    known = f"{', '.join(names[:_NAMED])}{', ...' if len(names) > _NAMED else ''}"
    if same:
        cure = f"; {' and '.join(same[:_NAMED])} are the same number: rename all but one"
    elif is_fraction:
        cure = '; write the number as in the file and in quotes, such as "1.50"'
    else:
        cure = "" if number is not None else did_you_mean(arm, names)
    raise ValueError(f"{argument} must be one of the {len(names)} arms of the log ({known}); got {arm!r}{cure}")
