"""How people read a tournament: the cross table and the standings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from experiments.games.sheets import RESULTS, key_to, with_short
from experiments.players.labels import short_columns
from numerics.output import tables
from numerics.output.sheets import Column, Facts, Sheet, interval, number, word

if TYPE_CHECKING:
    import pandas as pd

_NAMED = 90  # characters that the heads of a cross table may take; beyond, its players have numbers

STANDINGS = Sheet(
    "standings.csv",
    "standings; score: wins + draws / 2; Elo: Bradley-Terry fit, mean 0, 95 % interval",
    (
        word("player"),
        *RESULTS,
        interval("Elo", "elo", "+,.0f"),
        Column("lost by forfeit", lambda row: f"{_forfeits(row):,}", optional=1),
    ),
    read=with_short("standings.csv", "player"),
)


def _forfeits(row: Facts) -> int:
    return sum(count for name, count in row.items() if name.startswith("lost_by_"))


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return the cross table with the points against each player in columns against_0, against_1, ..."""
    stored = tables.read(folder / "crosstable.csv")
    sums = ["points", "games", "score"]
    stored.columns = ["player", *(f"against_{place}" for place in range(len(stored))), *sums]
    return short_columns(stored, "player").assign(pair=tables.read(folder / "pairs.csv")["games"].iloc[0])


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    games = frame["pair"].iloc[0]
    return f"cross table: points of the row against the column, of {games:,} games of each pair; rows sum up"


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    players = [str(name) for name in frame["player"]]
    named = sum(len(name) + 3 for name in players) <= _NAMED
    numbers = {name: place for place, name in enumerate(players, start=1)}
    who = (
        word("player")
        if named
        else Column("player", lambda row: f"{numbers[row['player']]} {row['player']}", number=False)
    )
    heads = players if named else [str(number) for number in numbers.values()]
    points = [number(head, f"against_{place}", ",g") for place, head in enumerate(heads)]
    return [who, *points, number("points", form=",g"), number("of games", "games")]


CROSS_TABLE = Sheet("crosstable.csv", _title, _columns, read=_read, leading=1)


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say what the letters in the labels of the players mean."""
    return key_to(with_short("crosstable.csv", "player")(folder, facts)["player"])
