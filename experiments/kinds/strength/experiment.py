"""Players judged by exact scores: what their moves are worth on positions of a game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from experiments.graded_positions.choices import from_best, with_times
from experiments.graded_positions.moves import BEST_MOVE, KEEPS_VALUE, LOSS, GradedMoves
from experiments.graded_positions.positions import TABLES
from experiments.kinds.strength import strength_figures
from numerics.output import tables
from numerics.output.sheets import Column, Facts, Row, Sheet, interval_ends, number, p_value, word

if TYPE_CHECKING:
    import pandas as pd


def _summary(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return the summary with the median time of a move."""
    summary, timings = tables.read(folder / "summary.csv"), tables.read(folder / "timings.parquet")
    return with_times(summary, timings)


def _time(row: Row) -> str:
    return f"{1e3 * row['seconds']:,.2f} ms" if row["seconds"] < 1.0 else f"{row['seconds']:,.2f} s"


SUMMARY = Sheet(
    "summary.csv",
    lambda frame, facts: f"moves in {frame['positions'].iloc[0]:,} positions, judged by exact scores; intervals: 95 %",
    (word("player"), KEEPS_VALUE, BEST_MOVE, LOSS, Column("time, median", _time, "seconds", optional=2)),
    read=_summary,
)


DIFFERENCES = Sheet(
    "differences.csv",
    lambda frame, facts: (
        f"share that keeps the value, minus that of {frame['player_b'].iloc[0]}, on the same positions, in percentage "
        "points; intervals (Bonferroni) and p (Holm) are adjusted for all pairs"
    ),
    (
        word("player", "player_a"),
        number("difference", form="+.1f", scale=100),
        interval_ends("95 % interval", "difference", "+.1f", 100),
        number("better in", "only_a", optional=1),
        number("worse in", "only_b", optional=1),
        p_value("adjusted p", "p_adjusted"),
    ),
    read=lambda folder, facts: from_best(tables.read(folder / "differences.csv")),
)


def _by_source(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return the rates by the kind of the positions; nothing where all are of one kind."""
    rows = tables.read(folder / "by_source.csv")
    order = {kind: row for row, kind in enumerate(TABLES)}
    ordered = rows.sort_values("source", key=lambda kinds: kinds.map(order), kind="stable")
    return ordered if rows["source"].nunique() > 1 else ordered.head(0)


BY_SOURCE = Sheet(
    "by_source.csv",
    "the same by the kind of the positions; intervals: 95 %",
    (Column("positions", lambda row: row["source"].replace("_", "-"), number=False), word("player"), KEEPS_VALUE, LOSS),
    read=_by_source,
    group=lambda row: row["source"],
)


class Strength(GradedMoves, name="strength"):
    """Players judged by exact scores on positions of a game: the first of a fixed set, or drawn and solved first."""

    figures = strength_figures.FIGURES
    sheets = (SUMMARY, DIFFERENCES, BY_SOURCE)
