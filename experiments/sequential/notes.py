"""What a sequential test says: the five lines, the score, which hypothesis is accepted, and what limits that."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.games.sheets import key_to, of_games
from experiments.players.labels import short_labels
from experiments.sequential.lines import caveats_of, five_lines, score_line, verdict_line
from numerics.output import tables
from numerics.output.sheets import Facts
from numerics.statistics.sprt import Sprt, strength

if TYPE_CHECKING:
    import pandas as pd

COUNTS = ["ll", "ld", "wl_dd", "wd", "ww"]


def read(table: pd.DataFrame, facts: Facts) -> tuple[Mapping[Any, Any], list[int], Sprt]:
    """Return the row of a run's sprt.csv, the counts of its pairs, and its test."""
    row = table.to_dict("records")[0]
    return row, [int(row[name]) for name in COUNTS], Sprt(**facts["test"])


def notes(folder: Path, facts: Facts) -> list[str]:
    """Return the five lines, the score, and which hypothesis is accepted."""
    row, counts, test = read(tables.read(folder / "sprt.csv"), facts)
    names = short_labels([row["player"], row["opponent"]])
    beyond = facts["games_beyond"]
    return [
        f"{names[row['player']]} against {names[row['opponent']]}",
        *five_lines(counts, test, {name: int(row[name]) for name in ("wins", "losses", "draws")}),
        score_line(counts, strength(counts, test)),
        verdict_line(counts, test, names[row["player"]]),
        *([f"{beyond:,} games had been begun beyond the end of the test, and are not counted"] if beyond else []),
        *key_to(names.values()),
    ]


def caveats(folder: Path, facts: Facts) -> list[str]:
    """Return the caveats of a test: no decision, large differences, and those of any games."""
    row, counts, test = read(tables.read(folder / "sprt.csv"), facts)
    undecided = [f"{verdict_line(counts, test).capitalize()}."] if row["accepted"] == "none" else []
    return [*undecided, *caveats_of(counts, test), *of_games(folder)]
