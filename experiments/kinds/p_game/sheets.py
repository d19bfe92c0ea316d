"""How people read P-games: failure rates with their intervals, a column for each number of iterations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from experiments.kinds.p_game.summary import summary_of
from numerics.output import tables
from numerics.output.sheets import Column, Facts, Sheet, interval, word

if TYPE_CHECKING:
    import pandas as pd

_EVERY = 4  # powers of two between two columns


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return one row a tree and method, with columns COUNT, COUNT_low and COUNT_high for each number of iterations."""
    summary = summary_of(tables.read(folder / "failures.parquet"))
    summary["tree"] = summary["branching"].astype(str) + "x" + summary["depth"].astype(str)
    rates = summary.rename(columns={"rate_low": "_low", "rate_high": "_high", "rate": ""})
    wide = rates.pivot(index=["tree", "method"], columns="iterations", values=["", "_low", "_high"])
    wide.columns = [f"{column[1]}{column[0]}" for column in wide.columns]
    order = list(summary[["tree", "method"]].drop_duplicates().itertuples(index=False, name=None))
    rows: pd.DataFrame = wide.loc[order].reset_index()
    return rows


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    counts = sorted(int(name) for name in frame.columns if name.isdigit())
    shown = sorted({*counts[::_EVERY], counts[-1]})
    return [word("tree"), word("method"), *(interval(f"{count:,}", str(count), scale=100) for count in shown)]


FAILURES = Sheet(
    "failures.parquet",
    "root moves that are wrong, in %, after so many iterations; in brackets: 95 % intervals",
    _columns,
    read=_read,
    group=lambda row: row["tree"],
    leading=2,
)
