"""How people read games in two places: scores, differences, times."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from experiments.kinds.environments.both_places import PLACES
from experiments.kinds.environments.summary import summary_of, times_of, verdict
from experiments.players.labels import short_columns
from numerics.output import tables
from numerics.output.sheets import Column, Facts, Row, Sheet, number, p_value, share, word

if TYPE_CHECKING:
    import pandas as pd


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return the summary with the median times of a game."""
    games = short_columns(tables.read(folder / "games.parquet"), "player1", "player2")
    times = times_of(games, tables.read(folder / "timings.parquet"))
    return summary_of(games).assign(**{f"{place}_seconds": times[f"{place}_seconds"] for place in PLACES})


def _difference(row: Row) -> str:
    return f"{100 * row['difference']:+.1f} ± {50 * (row['high'] - row['low']):.1f} %"


RESULTS = Sheet(
    "summary.csv",
    "the player's score in PettingZoo and here; illegal: games lost by an illegal move; ms: median of a game's time",
    (
        word("player"),
        word("opponent"),
        number("games"),
        share("PettingZoo", "environment_score"),
        share("native", "native_score"),
        Column("difference", _difference, "difference"),
        p_value("adjusted p", "p_adjusted"),
        number("illegal", "environment_illegal", optional=2),
        number("illegal, native", "native_illegal", optional=2),
        number("same", "identical", optional=1),
        number("ms", "environment_seconds", ".2f", 1e3, optional=3),
        number("ms, native", "native_seconds", ".2f", 1e3, optional=3),
        Column("verdict", verdict, number=False),
    ),
    read=_read,
)


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say how many games are the same, and how long a game takes in both places."""
    rows = _read(folder, facts)
    same, total = int(rows["identical"].sum()), int(rows["games"].sum())
    there, here = (1e3 * float(rows[f"{place}_seconds"].median()) for place in PLACES)
    return [
        f"{'all ' if same == total else ''}{same:,} of {total:,} games are the same in both places, move for move; "
        f"a game takes {there:.2f} ms there and {here:.2f} ms here (median), {there / here:.1f} times as long"
    ]
