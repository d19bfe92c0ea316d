"""What a tournament prints: the cross table, the standings, and what limits them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine import console as report
from experiments.games import anytime
from experiments.games.console import results_table, say_key, say_what_limits
from experiments.players.labels import short_columns
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

_HEAD = 60  # columns of a cross table that its row names and sums take


def say_results(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the cross table and the standings of a run folder, and where its tables and figures lie."""
    games = int(tables.read(folder / "pairs.csv")["games"].iloc[0])
    crosstable = short_columns(tables.read(folder / "crosstable.csv"), "player")
    report.console().print(crosstable_table(crosstable, games))
    report.console().print(standings_table(short_columns(tables.read(folder / "standings.csv"), "player")))
    anytime.say(folder)
    say_key(crosstable["player"])
    say_what_limits(short_columns(tables.read(folder / "games.parquet"), "player1", "player2"))
    report.say_places(folder)


def standings_table(standings: pd.DataFrame) -> Table:
    """Return the printed form of a tournament's standings, the highest rating first."""
    elo = standings[["elo", "elo_low", "elo_high"]].to_numpy()
    more = {
        "Elo": [f"{one:+,.0f} ({low:+,.0f} to {high:+,.0f})" for one, low, high in elo],
        "lost by forfeit": [f"{count:,}" for count in standings.filter(like="lost_by_").sum(axis=1)],
    }
    title = "standings; score: wins + draws / 2; Elo: Bradley-Terry fit, mean 0, 95 % interval"
    return results_table(title, [("player", standings["player"])], standings, more)


def crosstable_table(crosstable: pd.DataFrame, games: int) -> Table:
    """Return the printed form of a cross table: the points of the row's player against the column's, and their sum."""
    from rich.table import Table

    title = f"cross table: points of the row against the column, of {games:,} games of each pair; rows sum up"
    table = Table(title=title, title_justify="left")
    players = [str(name) for name in crosstable["player"]]
    named = sum(len(name) + 3 for name in players) <= report.console().width - _HEAD
    numbers = [str(place) for place in range(1, len(players) + 1)]
    report.add_names(table, "player", [f"{number} {name}" for number, name in zip(numbers, players, strict=True)])
    for name in [*(players if named else numbers), "points", "of games"]:
        table.add_column(report.text(name), justify="right")
    for number, (player, *points, total, played, _) in zip(numbers, crosstable.itertuples(index=False), strict=True):
        cells = ["-" if one != one else f"{one:,g}" for one in points]
        table.add_row(report.text(player if named else f"{number} {player}"), *cells, f"{total:,g}", f"{played:,}")
    return table
