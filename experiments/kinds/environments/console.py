"""What games in two places print: scores, differences, times."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine import console as report
from experiments.kinds.environments.both_places import PLACES
from experiments.kinds.environments.summary import summary_of, times_of, verdict
from experiments.players.labels import short_columns
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd


def say_results(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the scores and times of a run folder in short, and where its tables and figure lie."""
    played = short_columns(tables.read(folder / "games.parquet"), "player1", "player2")
    timings = tables.read(folder / "timings.parquet")
    summary, times = summary_of(played), times_of(played, timings)
    report.console().print(results_table(summary, times))
    same, total = int(summary["identical"].sum()), int(summary["games"].sum())
    there, other = (1e3 * float(times[f"{venue}_seconds"].median()) for venue in PLACES)
    report.say(
        f"{'all ' if same == total else ''}{same:,} of {total:,} games are the same in both places, move for move; "
        f"a game takes {there:.2f} ms there and {other:.2f} ms here (median), {there / other:.1f} times as long"
    )
    report.say_places(folder)


def results_table(summary: pd.DataFrame, times: pd.DataFrame) -> Any:
    """Return the printed form of the summary with the times."""
    from rich.table import Table
    from rich.text import Text

    title = (
        "the player's score in PettingZoo and here; illegal: games lost by an illegal move; ms: median of a game's time"
    )
    table = Table(title=title, title_justify="left")
    for name in ("player", "opponent"):
        table.add_column(name, overflow="fold")
    for name in ("games", "PettingZoo", "native", "difference", "adjusted p", "illegal", "same", "ms", "ms, native"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    for row, seconds in zip(summary.to_dict("records"), times.to_dict("records"), strict=True):
        half = 100.0 * (row["high"] - row["low"]) / 2.0
        table.add_row(
            Text(row["player"]),
            Text(row["opponent"]),
            f"{row['games']:,}",
            *(f"{100 * row[f'{venue}_score']:.1f} %" for venue in PLACES),
            f"{100 * row['difference']:+.1f} ± {half:.1f} %",
            report.p_text(row["p_adjusted"]),
            f"{row['environment_illegal']} / {row['native_illegal']}",
            f"{row['identical']:,}",
            *(f"{1e3 * seconds[f'{venue}_seconds']:.2f}" for venue in PLACES),
            verdict(row),
        )
    return table
