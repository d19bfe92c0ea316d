"""The delays of a log: how many further impressions there were before each reward came."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from bandits.logs.cells import TIME, TIMES, TextCells, times_of
from bandits.logs.rows import Wanted, read_columns


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
        A file that is missing or unreadable, a missing column, a cell that is no time, a reward before its impression,
        or no reward at all.

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
    allowed = f"{TIMES[form[0]]}, throughout both columns" if np.isfinite(shown[0]) else TIME
    table.check(shown_from, ~np.isfinite(shown) | (form != form[0]), allowed)
    table.check(rewarded_from, came & (~np.isfinite(rewarded) | (form_of_rewarded != form[0])), allowed)
    table.check(rewarded_from, came & (rewarded < shown), "no time before that of the impression")
    if not came.any():
        raise ValueError(f"path {str(path)!r}: column {rewarded_column!r} must hold at least one time; it is empty")
    order = np.argsort(shown, kind="stable")
    rank = np.empty(shown.size, np.int64)
    rank[order] = np.arange(shown.size)
    before = np.searchsorted(shown[order], rewarded[came], side="left")
    delays: npt.NDArray[np.int64] = np.maximum(before - rank[came] - 1, 0)
    return delays
