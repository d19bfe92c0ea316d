"""What a grade prints: the scores at all rates, forfeits, and the grade in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.engine import console as report
from experiments.games.console import say_forfeits
from experiments.kinds.grade.rates import Grade, fit_rates, grade_of
from experiments.players.labels import short_labels
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd


def say_grade(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print what the tables of a run folder say, and where they lie."""
    table = tables.read(folder / "rates.csv")
    report.console().print(rates_table(table))
    say_forfeits(tables.read(folder / "games.parquet"))
    player = facts["players"][0]["label"]
    report.say(said(short_labels([player])[player], grade_of(table), table))
    report.say_places(folder)
    report.say(f"each move of a game by its exact score: python -m experiments.annotate {folder} game=0")


def rates_table(table: pd.DataFrame) -> Any:
    """Return the printed form of the table of rates."""
    from rich.table import Table

    printed = Table(title="graded against the player, by its rate of worse moves", title_justify="left")
    for name in ("rate", "round", "games", "wins", "draws", "losses", "score", "95 % interval", "fitted"):
        printed.add_column(name, justify="right")
    line = fit_rates(table)
    for row in table.to_dict("records"):
        counts = [f"{row[name]:,}" for name in ("round", "games", "wins", "draws", "losses")]
        interval = f"{100 * row['score_low']:.1f} to {100 * row['score_high']:.1f} %"
        fitted = f"{100 * float(line.score(np.sqrt(row['rate']))):.1f} %"
        printed.add_row(f"{row['rate']:g}", *counts, f"{100 * row['score']:.1f} %", interval, fitted)
    return printed


def said(player: str, found: Grade, table: pd.DataFrame) -> str:
    """Say what the grade is."""
    if found.rate != found.rate:
        worst = table.iloc[-1]
        return (
            f"{player} has no grade: graded scores {100 * worst['score']:.1f} % against it at a rate of "
            f"{worst['rate']:g}, and no rate up to 1 is found at which it scores one half"
        )
    interval = f"95 % interval {found.low:.4f} to {found.high:.4f}"
    every = f", one move in {1.0 / found.rate:.3g}" if found.rate > 0.0 else ""
    return f"{player} beats graded half the time at a rate of {found.rate:.4f} ({interval}){every}"
