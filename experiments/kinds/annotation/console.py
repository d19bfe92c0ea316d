"""What an annotation prints: the loss and the blunders of each player, and what decided the games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine import console as report
from experiments.games.console import say_key
from experiments.games.judged_moves import FORFEIT, MOVE, PHASES, START, UNKNOWN
from experiments.players.labels import short_columns
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd


_OPTIONAL = [*(f"{third}, %" for third in PHASES), "of these solved", "decided games", "moves"]  # left out in turn


def say_annotation(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print what the tables of a run folder say, and where they lie."""
    moves = tables.read(folder / "moves.parquet")
    players = short_columns(tables.read(folder / "players.csv"), "player")
    report.print_fitted(lambda left_out: players_printed(players, left_out), _OPTIONAL)
    say_key(players["player"])
    report.say(said(tables.read(folder / "decisions.parquet")))
    unsolved = moves[moves["loss"].isna()]
    if len(unsolved):
        plies = f"of {unsolved['ply'].min()} to {unsolved['ply'].max()} stones"
        report.say(
            f"{len(unsolved):,} of {len(moves):,} moves, in positions {plies}, have no score within the time of a "
            "position and count in no mean; more time: seconds="
        )
    report.say_places(folder)


def players_printed(table: pd.DataFrame, left_out: Sequence[str] = ()) -> Any:
    """Return the printed form of the table of players."""
    from rich.table import Table

    title = "moves judged by exact scores; blunders: moves that lose value (win, draw, loss); intervals: 95 %"
    shown = Table(title=title, title_justify="left")
    report.add_names(shown, "player", table["player"])
    rows = table.to_dict("records")
    cells: dict[str, list[str]] = {
        "moves": [f"{row['moves']:,}" for row in rows],
        "of these solved": [f"{row['known']:,}" for row in rows],
        "loss of score, mean": [_interval(row, "loss", 1.0, 2) for row in rows],
        "blunders, %": [_interval(row, "blunder_rate", 100.0, 1) for row in rows],
        **{
            f"{third}, %": [_share(row[f"blunders_{third}"], row[f"moves_{third}"]) for row in rows] for third in PHASES
        },
        "decided games": [f"{row['decided']:,} of {row['games']:,}" for row in rows],
    }
    for name in left_out:
        del cells[name]
    for name, column in cells.items():
        shown.add_column(name, justify="right", min_width=max(map(len, column)))
    for place, row in enumerate(rows):
        shown.add_row(report.text(row["player"]), *(column[place] for column in cells.values()))
    return shown


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


def _interval(row: Mapping[Any, Any], name: str, factor: float, digits: int) -> str:
    middle, low, high = (factor * row[f"{name}{end}"] for end in ("", "_low", "_high"))
    if middle != middle:
        return "-"
    return f"{middle:.{digits}f}" + (f" ({low:.{digits}f} to {high:.{digits}f})" if high == high else "")


def said(decisions: pd.DataFrame) -> str:
    """Say what decided the games."""
    told = {
        MOVE: "by the last blunder",
        START: "by the position they began with, which nobody changed",
        FORFEIT: "by a forfeit",
        UNKNOWN: "at a position that is not solved",
    }
    counts = decisions["decided_by"].value_counts()
    parts = [f"{counts[key]:,} {text}" for key, text in told.items() if key in counts]
    return f"{len(decisions):,} game{'s' if len(decisions) > 1 else ''} decided: {'; '.join(parts)}"
