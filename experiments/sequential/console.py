"""What a sequential test prints: the five lines, the score, which hypothesis is accepted, and what limits that."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine import console as report
from experiments.games.caveats import of_games
from experiments.games.console import say_key, say_replay, say_what_limits
from experiments.players.labels import short_columns, short_labels
from experiments.sequential.lines import caveats_of, five_lines, score_line, verdict_line
from numerics.output import tables
from numerics.statistics.sprt import Sprt, strength

if TYPE_CHECKING:
    import pandas as pd

COUNTS = ["ll", "ld", "wl_dd", "wd", "ww"]


def read(table: pd.DataFrame, facts: Mapping[str, Any]) -> tuple[Mapping[Any, Any], list[int], Sprt]:
    """Return the row of a run's sprt.csv, the counts of its pairs, and its test."""
    row = table.to_dict("records")[0]
    return row, [int(row[name]) for name in COUNTS], Sprt(**facts["test"])


def say_results(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the result of a test, and where its tables, figures and games lie."""
    say_test(folder, facts)
    report.say_places(folder)
    say_replay(folder)


def say_test(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the result of a test and what limits it."""
    row, counts, test = read(tables.read(folder / "sprt.csv"), facts)
    names = short_labels([row["player"], row["opponent"]])
    report.say(f"{names[row['player']]} against {names[row['opponent']]}")
    for line in five_lines(counts, test, {name: int(row[name]) for name in ("wins", "losses", "draws")}):
        report.say(line)
    report.say(score_line(counts, strength(counts, test)))
    report.say(verdict_line(counts, test, names[row["player"]]))
    for line in caveats_of(counts, test):
        report.say(line)
    if beyond := facts["games_beyond"]:
        report.say(f"{beyond:,} games had been begun beyond the end of the test, and are not counted")
    say_what_limits(short_columns(tables.read(folder / "games.parquet"), "player1", "player2"))
    say_key([row["player"], row["opponent"]])


def caveats(folder: Path, facts: Mapping[str, Any]) -> list[str]:
    """Return the caveats of a test: no decision, large differences, and those of any games."""
    row, counts, test = read(tables.read(folder / "sprt.csv"), facts)
    undecided = [f"{verdict_line(counts, test).capitalize()}."] if row["accepted"] == "none" else []
    return [*undecided, *caveats_of(counts, test), *of_games(folder)]
