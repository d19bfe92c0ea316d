"""What strength prints: the summary, the differences from the best player, both sources, and moves that are none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine import console as report
from experiments.games.console import say_key
from experiments.graded_positions.cells import kept_cell, loss_cell, percent_cell, players_table
from experiments.graded_positions.positions import TABLES
from experiments.players.labels import short_columns
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd


def say_strength(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the tables of a run folder, which players gave no legal move, and where tables and figures lie."""
    names = ("choices.parquet", "timings.parquet", "summary.csv", "by_source.csv")
    choices, timings, summary, sources = (short_columns(tables.read(folder / name), "player") for name in names)
    report.console().print(strength_table(summary, timings))
    if len(summary) > 1:
        differences = short_columns(tables.read(folder / "differences.csv"), "player_a", "player_b")
        report.console().print(best_pairs_table(differences, summary))
    if sources["source"].nunique() > 1:
        report.console().print(sources_table(sources))
    say_key(summary["player"])
    for player, own in choices[choices["failure"] != ""].groupby("player", sort=False):
        first = own.iloc[0]
        report.say(f"{player} gave no legal move in {len(own)} (first in position {first.position}: {first.failure})")
    report.say_places(folder)


def strength_table(summary: pd.DataFrame, timings: pd.DataFrame) -> Any:
    """Return the printed form of the summary."""
    seconds = timings.groupby("player")["seconds"].median()
    title = f"moves in {summary['positions'].iloc[0]:,} positions, judged by exact scores; intervals: 95 %"
    table = players_table(
        summary["player"], title, "keeps the value, %", "plays a best move, %", "loss of score, mean", "time, median"
    )
    for row in summary.to_dict("records"):
        time = float(seconds[row["player"]])
        told = f"{1e3 * time:,.2f} ms" if time < 1.0 else f"{time:,.2f} s"
        table.add_row(report.text(row["player"]), kept_cell(row), percent_cell(row, "best"), loss_cell(row), told)
    return table


def best_pairs_table(differences: pd.DataFrame, summary: pd.DataFrame) -> Any:
    """Return the printed form of every player's difference from the one that keeps the value most often."""
    best = str(summary["player"].iloc[int(summary["keeps_value"].to_numpy().argmax())])
    title = (
        f"share that keeps the value, minus that of {best}, on the same positions; in percentage points; "
        "intervals (Bonferroni) and p (Holm) hold for all pairs together"
    )
    table = players_table(
        summary["player"], title, "difference", "95 % interval", "better in", "worse in", "adjusted p"
    )
    for row in differences.to_dict("records"):
        if best not in (row["player_a"], row["player_b"]):
            continue
        turned = row["player_a"] == best
        sign = -1.0 if turned else 1.0
        difference, *ends = (100.0 * sign * row[f"difference{end}"] for end in ("", "_low", "_high"))
        better, worse = (row["only_b"], row["only_a"]) if turned else (row["only_a"], row["only_b"])
        table.add_row(
            report.text(row["player_b" if turned else "player_a"]),
            f"{difference:+.1f}",
            f"{min(ends):+.1f} to {max(ends):+.1f}",
            f"{better:,}",
            f"{worse:,}",
            report.p_text(row["p_adjusted"]),
        )
    return table


def sources_table(rows: pd.DataFrame) -> Any:
    """Return the printed form of the rates in each kind of positions beside those in the others."""
    whats = {"keeps the value, %": kept_cell, "loss of score, mean": loss_cell}
    kinds = [kind for kind in TABLES if kind in set(rows["source"])]
    heads = [f"{what}\n{kind.replace('_', '-')}" for what in whats for kind in kinds]
    table = players_table(rows["player"], "the same by the kind of the positions; intervals: 95 %", *heads)
    for player, own in rows.groupby("player", sort=False):
        both = own.set_index("source").to_dict("index")
        table.add_row(report.text(player), *(cell(both[source]) for cell in whats.values() for source in kinds))
    return table
