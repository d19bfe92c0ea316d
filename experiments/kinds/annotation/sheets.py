"""How people read an annotation: the loss and the blunders of each player, and what decided the games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from experiments.games.judged_moves import FORFEIT, MOVE, PHASES, START, UNKNOWN
from experiments.games.sheets import key_to, with_short
from numerics.output import tables
from numerics.output.sheets import MISSING, Column, Facts, Row, Sheet, interval, number, word

if TYPE_CHECKING:
    import pandas as pd


def _third(name: str, optional: int) -> Column:
    """Return a column of the share of blunders in a third of the board."""

    def cell(row: Row) -> str:
        moves = row[f"moves_{name}"]
        return f"{100 * row[f'blunders_{name}'] / moves:.1f}" if moves else MISSING

    return Column(f"{name}, %", cell, optional=optional)


PLAYERS = Sheet(
    "players.csv",
    "moves judged by exact scores; blunders: moves that lose value (win, draw, loss); intervals: 95 %",
    (
        word("player"),
        number("moves", optional=1),
        number("of these solved", "known", optional=3),
        interval("loss of score, mean", "loss", ".2f"),
        interval("blunders, %", "blunder_rate", scale=100),
        *(_third(name, optional=6 - place) for place, name in enumerate(PHASES)),
        Column("decided games", lambda row: f"{row['decided']:,} of {row['games']:,}", "decided", optional=2),
    ),
    read=with_short("players.csv", "player"),
)


def caveats(folder: Path, facts: Facts) -> list[str]:
    """Say how many moves have no score."""
    moves = tables.read(folder / "moves.parquet")
    unsolved = moves[moves["loss"].isna()]
    if unsolved.empty:
        return []
    plies = f"of {unsolved['ply'].min()} to {unsolved['ply'].max()} stones"
    return [
        f"{len(unsolved):,} of {len(moves):,} moves, in positions {plies}, have no score within the time of a "
        "position and count in no mean; more time: seconds="
    ]


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say what decided the games, and what the letters in the labels of players mean."""
    key = key_to(with_short("players.csv", "player")(folder, facts)["player"])
    return [decided_text(tables.read(folder / "decisions.parquet")), *key]


def decided_text(decisions: pd.DataFrame) -> str:
    """Say what decided the games."""
    endings = {
        MOVE: "by the last blunder",
        START: "by the position they began with, which nobody changed",
        FORFEIT: "by a forfeit",
        UNKNOWN: "at a position that is not solved",
    }
    counts = decisions["decided_by"].value_counts()
    parts = [f"{counts[key]:,} {text}" for key, text in endings.items() if key in counts]
    return f"{len(decisions):,} game{'s' if len(decisions) > 1 else ''} decided: {'; '.join(parts)}"
