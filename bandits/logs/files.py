"""The formats of logs in files: a row per impression, the Open Bandit Dataset, or a column per arm."""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np

from bandits.logs.cells import FEATURES, PROPENSITIES, REWARDS, SHARES, TimeCells, WordCells
from bandits.logs.forms import LogForm
from bandits.logs.log import Log, sorted_names
from bandits.logs.rows import Table, Wanted, read_columns
from numerics.checks import escape_controls
from numerics.parameters import parameter

_KEPT = 2  # logs that stay in memory after they were read
_BY_CHANCE = 1e-6  # of logs with right propensities, that are refused
_ENOUGH = 10  # rows of an arm, to be counted against its propensities
_SETTLED = 3.0  # seconds after which a change of a file has another time, on any file system


def _text(name: str, value: Any) -> str:
    """Return a path or the name of a column, unchecked: reading checks it against the file."""
    return str(value)


def _some_texts(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ValueError(f"{name} must be a list of columns; got {value!r}")
    return tuple(map(str, value))


def _texts(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) < 2:
        raise ValueError(f"{name} must be a list of at least 2 columns; got {value!r}")
    return tuple(map(str, value))


class LogFile(LogForm):
    """A log in a file, of CSV, JSON lines or Parquet: see `bandits.logs.rows`."""

    path: str = parameter(check=_text, help="CSV file with a header line or JSON lines, plain or gzipped; or Parquet")
    time_column: str | None = parameter(None, help="the column with the time, a number or a date; rows must be sorted")
    feature_columns: tuple[str, ...] = parameter(
        (), check=_some_texts, help="the columns of features, numbers known before the arm was chosen"
    )
    leave_out: bool = parameter(False, help="leave wrong rows out and list them; otherwise the first is an error")
    header: bool = parameter(True, help="whether a CSV file has a header line; if false, give columns")
    columns: tuple[str, ...] = parameter(
        (), check=_some_texts, help="names of all columns of a file without a header line"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.header == bool(self.columns):
            must = "left out when header is true" if self.header else "given when header is false, such as [item,click]"
            raise ValueError(f"columns must be {must}; got {list(self.columns)}")

    def read(self, columns: tuple[str, ...] = ()) -> Log:
        """Return the log, read once, with additional columns of probabilities that policies need.

        Raises
        ------
        ValueError
            A file or a column that is missing, or a wrong row, with its line.
        """
        return _read(self, self._stamp(), columns)

    def _stamp(self) -> tuple[Any, ...]:
        """Return what changes whenever the file does; its content too while it is new, as times of files are coarse."""
        path = Path(self.path)
        if not path.is_file():
            return ()
        stat = path.stat()
        stamp = stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino, stat.st_size
        is_settled = max(stat.st_mtime, stat.st_ctime) < time.time() - _SETTLED
        return stamp if is_settled else (*stamp, self.fingerprint())

    @property
    def title(self) -> str:
        """The path."""
        return self.path

    def fingerprint(self) -> str:
        """Return a digest of the file."""
        with Path(self.path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def _wanted(self) -> list[Wanted]:
        """Return the columns of arms and rewards."""
        raise self._unfinished("_wanted")

    def _contents(self, table: Table) -> dict[str, Any]:
        """Return names, arm, reward, propensity and rewards as `Log` has them."""
        raise self._unfinished("_contents")


@functools.lru_cache(_KEPT)
def _read(file: LogFile, stamp: Any, columns: tuple[str, ...]) -> Log:
    times = [] if file.time_column is None else [Wanted("time_column", file.time_column, TimeCells)]
    features = [Wanted(f"feature_columns[{at}]", name, FEATURES) for at, name in enumerate(file.feature_columns)]
    shares = [Wanted(f"columns[{at}]", name, SHARES) for at, name in enumerate(columns)]
    wanted = [*file._wanted(), *times, *features, *shares]
    names = None if file.header else file.columns
    table = read_columns(file.path, wanted, leave_out=file.leave_out, names=names)
    contents = file._contents(table)
    for column in times:
        earlier = np.diff(table.columns["time_column"], prepend=-np.inf) < 0.0
        table.check(column, earlier, "times in non-decreasing order (sort the file by this column)")
    return Log(
        **contents,
        time=table.columns.get("time_column"),
        source=file.path,
        left_out=tuple(table.left_out),
        bad=table.bad,
        features=np.column_stack([table.columns[each.argument] for each in features]) if features else None,
        columns={each.column: table.columns[each.argument] for each in shares},
    )


class Rows(LogFile, name="rows"):
    """A row for each time that an arm was shown: the arm, the reward, and optionally its probability and the time."""

    arm_column: str = parameter("item", check=_text, help="the column with the arm's name")
    reward_column: str = parameter("click", check=_text, help="the column with the reward")
    propensity_column: str | None = parameter(None, help="the column with the probability of the arm that was shown")
    uniform: bool = parameter(False, help="whether every arm was shown with the same probability, 1 / K")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.uniform and self.propensity_column is not None:
            raise ValueError(
                f"uniform must be false when propensity_column is given; got true and {self.propensity_column!r}"
            )

    def _wanted(self) -> list[Wanted]:
        wanted = [
            Wanted("arm_column", self.arm_column, WordCells),
            Wanted("reward_column", self.reward_column, REWARDS),
        ]
        if self.propensity_column is not None:
            wanted.append(Wanted("propensity_column", self.propensity_column, PROPENSITIES))
        return wanted

    def _contents(self, table: Table) -> dict[str, Any]:
        names, arm = sorted_names(table.names, table.columns["arm_column"])
        if len(names) < 2:
            raise ValueError(
                f"path {self.path!r}: column {self.arm_column!r} must name at least 2 arms; it names {len(names)}"
            )
        propensity = table.columns.get("propensity_column")
        if self.uniform:
            propensity = np.full(arm.size, 1.0 / len(names))
        if propensity is not None and (often := _more_often(names, arm, propensity)):
            raise ValueError(
                f"uniform must be false for {self.path}: {often} as expected with 1 / K"
                if self.uniform
                else f"path {self.path!r}: column {self.propensity_column!r} must hold the probability with which the "
                f"row's arm was shown; {often} as expected"
            )
        reward = table.columns["reward_column"]
        return {"names": names, "arm": arm, "reward": reward, "propensity": propensity}


def _more_often(names: Sequence[str], arm: Any, propensity: Any) -> str:
    """Say which arm was shown too often for its propensities, by more than chance; empty where none was.

    The mean over all rows of 1 / p where an arm was shown, and of 0 elsewhere, has the expectation 1, or less where the
    arm could not be shown in some rows. More cannot be, by chance in about one right log of a million.
    """
    rows, weight = arm.size, 1.0 / propensity
    mean, square = (np.bincount(arm, weight**power, len(names)) / rows for power in (1, 2))
    of_right_ones = square / np.maximum(mean, 1e-300) - 1.0
    spread = np.maximum(square - mean**2, of_right_ones)
    error = np.sqrt(np.maximum(spread, 0.0) / rows)
    excess = mean - 1.0 - NormalDist().inv_cdf(1.0 - _BY_CHANCE / len(names)) * error
    excess[np.bincount(arm, minlength=len(names)) < _ENOUGH] = 0.0
    worst = int(excess.argmax())
    if excess[worst] <= 1e-9:
        return ""
    return f"arm {names[worst]} has {(arm == worst).sum():,} rows, {mean[worst]:.3g} times as many"


class OpenBandit(
    Rows,
    name="open_bandit",
    arm_column="item_id",
    reward_column="click",
    propensity_column="propensity_score",
    time_column="timestamp",
):
    """The Open Bandit Dataset of ZOZO, Inc., and logs with its columns."""

    source: ClassVar[str] = "Saito, Aihara, Matsutani and Narita, arXiv 2008.07146"


class Wide(LogFile, name="wide"):
    """A column of rewards for each arm: what every arm would have paid in every row."""

    reward_columns: tuple[str, ...] = parameter(check=_texts, help="the columns of rewards; their names are the arms")

    def _wanted(self) -> list[Wanted]:
        return [Wanted(f"reward_columns[{at}]", name, REWARDS) for at, name in enumerate(self.reward_columns)]

    def _contents(self, table: Table) -> dict[str, Any]:
        rewards = np.column_stack([table.columns[column.argument] for column in self._wanted()])
        names, nothing = tuple(map(escape_controls, self.reward_columns)), np.empty(0)
        return {"names": names, "arm": nothing.astype(np.int32), "reward": nothing, "rewards": rewards}
