"""How people read results of games: the columns that experiments share, the sheet of a match, and shared sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.games.results import COLOURS
from experiments.players.labels import key_of, short_columns
from numerics.output import tables
from numerics.output.sheets import Column, Facts, Sheet, ends, number, share

if TYPE_CHECKING:
    import pandas as pd

REPLAY = "a game move by move: python -m experiments.replay {folder} game=0"
COUNTS = (number("games"), number("wins"), number("draws"), number("losses"))
RESULTS = (*COUNTS, share("score"), ends("95 % interval", "score", scale=100, unit=" %"))
"""What `experiments.games.playing.tally_of` counts."""


def with_short(name: str, *columns: str) -> Callable[[Path, Facts], pd.DataFrame]:
    """Return what reads a table with the names of players in some columns as short labels."""
    return lambda folder, facts: short_columns(tables.read(folder / name), *columns)


def key_to(labels: Iterable[str]) -> list[str]:
    """Say what the letters in short labels of players mean, where there are any."""
    return [key for key in [key_of(labels)] if key]


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    player, opponent = frame["player"].iloc[0], frame["opponent"].iloc[0]
    return f"results of {player} against {opponent}; score: wins + draws / 2, interval by the score test"


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    player = Column(str(frame["player"].iloc[0]), lambda row: COLOURS[row["colour"]], number=False)
    return [player, *RESULTS, number("plies, mean", "plies_mean", ".1f", optional=1)]


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    rows = short_columns(tables.read(folder / "summary.csv"), "player", "opponent")
    return rows[rows["games"] > 0]


MATCH = Sheet("summary.csv", _title, _columns, read=_read, group=lambda row: row["colour"] == "both")


def notes_of_match(folder: Path, facts: Facts) -> list[str]:
    """Say what the letters in the labels of a match mean."""
    row = _read(folder, facts).iloc[0]
    return key_to([row["player"], row["opponent"]])
