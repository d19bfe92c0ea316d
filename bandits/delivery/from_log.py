"""Delays of a log that has the times of its impressions and of their rewards."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bandits.delivery.base import Delivery, check_delay
from bandits.logs.cells import TIME, TIMES, TextCells, times_of
from bandits.logs.rows import Wanted, read_columns
from numerics.checks import accept_any
from numerics.parameters import parameter


class LoggedDelays(Delivery, name="from_log"):
    """Delays are drawn from those of a log with times.

    The delay of an impression is how many others followed until its reward came.
    """

    path: str = parameter(
        check=accept_any, help="CSV file with a header line, JSON lines or Parquet: one row for each impression"
    )
    shown_column: str = parameter("shown", check=accept_any, help="the column with the time of the impression")
    rewarded_column: str = parameter("rewarded", check=accept_any, help="the column with the time of its reward")
    delayed: tuple[int, ...] = field(init=False, repr=False)
    source = "your own file"

    def __post_init__(self) -> None:
        delays = delays_of(self.path, self.shown_column, self.rewarded_column)
        object.__setattr__(self, "delayed", tuple(delays.tolist()))

    @property
    def formula(self) -> str:
        times = self.values
        return (
            f"the reward of pull t arrives before pull t + 1 + D, D drawn from {times.size:,} delays of {self.path} "
            f"(mean {times.mean():.1f}, median {np.median(times):.0f}, longest {times.max():,})"
        )

    @property
    def title(self) -> str:
        return f"rewards delayed as in {Path(self.path).name}"

    @property
    def values(self) -> npt.NDArray[np.int64]:
        return np.array(self.delayed, np.int64)

    def check(self, horizon: int) -> None:
        check_delay("path: its shortest delay", min(self.delayed), max(0, horizon - 2), horizon)
        super().check(horizon)


def delays_of(path: str | Path, shown_column: str, rewarded_column: str) -> npt.NDArray[np.int64]:
    r"""Return the delay of each row of a log that has a reward, in the order of the rows.

    Parameters
    ----------
    path : str or Path
        A CSV file as `ClickLog.read` takes it, with a row for each impression, in any order.
    shown_column, rewarded_column : str
        The columns with the time of the impression and the time of its reward. Times are numbers in any unit, or dates
        and times, with or without an offset from UTC. Both columns use the same form. An impression whose reward never
        came has an empty cell in the second; its delay is not known and left out.

    Returns
    -------
    ndarray of int64
        The impressions after the row's, up to the time of its reward; one at just that time knows the reward. Where the
        reward came after the last impression, they are all that there were, so that the delay is too short.

    Raises
    ------
    ValueError
        A file or a column that is missing. A file that cannot be read. A cell that is not a time, a reward before its
        impression, or no reward at all.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "log.csv"
    >>> _ = file.write_text("shown,rewarded\n1,3.5\n2,\n3,3\n4,9\n5,5.1\n")
    >>> delays_of(file, "shown", "rewarded").tolist()
    [2, 0, 1, 0]
    """
    shown_from = Wanted("shown_column", shown_column, TextCells)
    rewarded_from = Wanted("rewarded_column", rewarded_column, TextCells)
    table = read_columns(path, [shown_from, rewarded_from])
    shown, form = times_of(table.columns["shown_column"])
    rewarded, form_of_rewarded = times_of(table.columns["rewarded_column"])
    came = table.columns["rewarded_column"] != ""
    allowed = f"{TIMES[form[0]]}, as in all rows of both columns" if np.isfinite(shown[0]) else TIME
    table.check(shown_from, ~np.isfinite(shown) | (form != form[0]), allowed)
    table.check(rewarded_from, came & (~np.isfinite(rewarded) | (form_of_rewarded != form[0])), allowed)
    table.check(rewarded_from, came & (rewarded < shown), "a time not before the impression's")
    if not came.any():
        raise ValueError(f"path {str(path)!r}: column {rewarded_column!r} must hold at least one time; it is empty")
    order = np.argsort(shown, kind="stable")
    rank = np.empty(shown.size, np.int64)
    rank[order] = np.arange(shown.size)
    before = np.searchsorted(shown[order], rewarded[came], side="left")
    delays: npt.NDArray[np.int64] = np.maximum(before - rank[came] - 1, 0)
    return delays
