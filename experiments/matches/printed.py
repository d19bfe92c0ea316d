"""What matches, tournaments and sweeps of them print: results by colour or setting, standings, the cross table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from experiments.engine.console import console, p_text, text

if TYPE_CHECKING:
    import pandas as pd

_HEAD = 60  # columns of a cross table that its row names and sums take


def match_table(summary: pd.DataFrame, colours: Mapping[str, str]) -> Any:
    """Return the printed form of the summary of a match."""
    from rich.table import Table

    player, opponent = summary["player"].iloc[0], summary["opponent"].iloc[0]
    table = Table(title=text(f"results of {player} against {opponent}; score: wins + draws / 2"), title_justify="left")
    table.add_column(text(player), overflow="fold")
    for name in ("games", "wins", "draws", "losses", "score", "95 % interval", "plies, mean"):
        table.add_column(name, justify="right")
    for row in summary[summary["games"] > 0].to_dict("records"):
        plies = f"{row['plies_mean']:.1f}"
        table.add_row(colours[row["colour"]], *_result_cells(row), plies, end_section=row["colour"] == "second")
    return table


def match_sweep_table(table: pd.DataFrame, keys: Sequence[str]) -> Any:
    """Return the printed form of a sweep of matches: what was swept, player 1's results, and how far off the best.

    Without a key the rows are told by their players.
    """
    from rich.table import Table

    printed = Table(title="player 1's results; score: wins + draws / 2; intervals: 95 %", title_justify="left")
    for name in keys or ("player", "opponent"):
        printed.add_column(text(name), overflow="fold")
    for name in ("games", "wins", "draws", "losses", "score", "interval", "minus the best, %", "p", "standing"):
        printed.add_column(name, justify="right")
    for row in table.to_dict("records"):
        difference, low, high = (100 * row[f"difference{end}"] for end in ("", "_low", "_high"))
        known = low == low
        cells = [f"{difference:+.1f} ({low:+.1f} to {high:+.1f})", p_text(row["p_adjusted"])] if known else ["", ""]
        swept = [text(value_text(row[key])) for key in keys or ("player", "opponent")]
        printed.add_row(*swept, *_result_cells(row), *cells, str(row["standing"]))
    return printed


def standings_table(standings: pd.DataFrame) -> Any:
    """Return the printed form of a tournament's standings, the highest rating first."""
    from rich.table import Table

    table = Table(title="standings; score: wins + draws / 2; Elo: mean 0, 95 % interval", title_justify="left")
    table.add_column("player", overflow="fold")
    for name in ("games", "wins", "draws", "losses", "score", "95 % interval", "Elo", "lost by forfeit"):
        table.add_column(name, justify="right")
    for row in standings.to_dict("records"):
        elo = f"{row['elo']:+,.0f} ({row['elo_low']:+,.0f} to {row['elo_high']:+,.0f})"
        forfeits = sum(int(row[name]) for name in row if str(name).startswith("lost_by_"))
        table.add_row(text(row["player"]), *_result_cells(row), elo, f"{forfeits:,}")
    return table


def crosstable_table(crosstable: pd.DataFrame, games: int) -> Any:
    """Return the printed form of a cross table: the points of the row's player against the column's, and their sum."""
    from rich.table import Table

    title = f"cross table: points of the row against the column, of {games:,} games of each pair; rows sum up"
    table = Table(title=title, title_justify="left")
    players = [str(name) for name in crosstable["player"]]
    named = sum(len(name) + 3 for name in players) <= console().width - _HEAD
    numbers = [str(place) for place in range(1, len(players) + 1)]
    table.add_column("player", overflow="fold")
    for name in players if named else numbers:
        table.add_column(text(name), justify="right")
    table.add_column("points", justify="right")
    table.add_column("of games", justify="right")
    for number, (player, *points, total, played, _) in zip(numbers, crosstable.itertuples(index=False), strict=True):
        cells = ["-" if one != one else f"{one:,g}" for one in points]
        table.add_row(text(player if named else f"{number} {player}"), *cells, f"{total:,g}", f"{played:,}")
    return table


def _result_cells(row: Mapping[Any, Any]) -> list[str]:
    """Return the cells games, wins, draws, losses, score and interval of a row that `intervals.tally` made."""
    counts = [f"{row[name]:,}" for name in ("games", "wins", "draws", "losses")]
    return [*counts, f"{100 * row['score']:.1f} %", f"{100 * row['score_low']:.1f} to {100 * row['score_high']:.1f} %"]


def value_text(value: object) -> str:
    """Write a swept value as the command line does."""
    return f"{value:g}" if isinstance(value, float) else str(value)
