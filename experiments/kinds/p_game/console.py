"""What P-games print: failure rates with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine import console as report
from experiments.kinds.p_game.summary import summary_of
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd


def say_failures(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the failure rates of a run folder, and where its tables and figures lie."""
    report.console().print(failures_table(summary_of(tables.read(folder / "failures.parquet"))))
    report.say_places(folder)


def failures_table(summary: pd.DataFrame) -> Any:
    """Return the printed form of the summary: the failure rate at every fourth power of two, and at the last one."""
    from rich.table import Table
    from rich.text import Text

    checkpoints = sorted(set(summary["iterations"]))
    shown = sorted({*checkpoints[::4], checkpoints[-1]})
    table = Table(
        title="root moves that are wrong, in %, after so many iterations; in brackets: 95 % intervals",
        title_justify="left",
    )
    for name in ("tree", "method"):
        table.add_column(name, overflow="fold")
    for count in shown:
        table.add_column(f"{count:,}", justify="right")
    for (branching, depth), size in summary.groupby(["branching", "depth"], sort=False):
        names = list(dict.fromkeys(size["method"]))
        for method in names:
            own = size[size["method"] == method].set_index("iterations")
            cells = [_rate_text(*own.loc[count, ["rate", "rate_low", "rate_high"]]) for count in shown]
            table.add_row(f"{branching}x{depth}", Text(method), *cells, end_section=method == names[-1])
    return table


def _rate_text(rate: float, low: float, high: float) -> str:
    return f"{100 * rate:.1f} ({100 * low:.1f} to {100 * high:.1f})"
