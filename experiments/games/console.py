"""What a match prints, and what others print of games: results, forfeits, and when few games differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine import console as report
from experiments.games import anytime
from experiments.games.games import COLOURS, FORFEITS, forfeit
from experiments.players.labels import key_of, short_columns
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


def say_results(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the results of a match, what limits them, and where its tables, figures and games lie."""
    games = short_columns(tables.read(folder / "games.parquet"), "player1", "player2")
    summary = short_columns(tables.read(folder / "summary.csv"), "player", "opponent")
    report.console().print(match_table(summary[summary["games"] > 0]))
    anytime.say(folder)
    say_key([summary["player"].iloc[0], summary["opponent"].iloc[0]])
    say_what_limits(games)
    report.say_places(folder)
    say_replay(folder)


def say_key(labels: Iterable[str]) -> None:
    """Say what the letters in short labels of players mean, where there are any."""
    if key := key_of(labels):
        report.say(key)


def say_replay(folder: Path) -> None:
    """Say how the first game can be seen."""
    report.say(f"a game move by move: python -m experiments.replay {folder} game=0")


def match_table(rows: pd.DataFrame) -> Table:
    """Return the printed form of the summary of a match."""
    player, opponent = rows["player"].iloc[0], rows["opponent"].iloc[0]
    plies = {"plies, mean": [f"{mean:.1f}" for mean in rows["plies_mean"]]}
    words = [(str(player), rows["colour"].map(COLOURS))]
    title = f"results of {player} against {opponent}; score: wins + draws / 2, interval by the score test"
    return results_table(title, words, rows, plies, apart=len(rows) - 2)


def results_table(
    title: str,
    words: Sequence[tuple[str, Iterable[object]]],
    rows: pd.DataFrame,
    more: Mapping[str, Iterable[str]],
    *,
    interval: str = "95 % interval",
    apart: int | None = None,
) -> Table:
    """Return a printed table of results: columns of words, what `intervals.tally` counted, and further columns.

    A line is drawn below row number `apart`.
    """
    from rich.table import Table

    counts = {name: [f"{count:,}" for count in rows[name]] for name in ("games", "wins", "draws", "losses")}
    score = {"score": [f"{100 * share:.1f} %" for share in rows["score"]]}
    ends = zip(rows["score_low"], rows["score_high"], strict=True)
    numbers = {**counts, **score, interval: [f"{100 * low:.1f} to {100 * high:.1f} %" for low, high in ends], **more}
    table = Table(title=report.text(title), title_justify="left")
    words = [(name, list(cells)) for name, cells in words]
    for name, cells in words:
        report.add_names(table, name, cells)
    for name in numbers:
        table.add_column(name, justify="right")
    for index, cells in enumerate(zip(*(column for _, column in words), *numbers.values(), strict=True)):
        table.add_row(*map(report.text, cells), end_section=index == apart)
    return table


def say_what_limits(games: pd.DataFrame) -> None:
    """Say which games were lost otherwise than on the board, and when few games differ."""
    say_forfeits(games)
    for (player, other), of_pair in games.groupby(["player1", "player2"], sort=False):
        different = of_pair["moves"].nunique()
        if 2 * different <= len(of_pair):
            report.say(
                f"only {different} of the {len(of_pair)} games of {player} against {other} differ, "
                "while intervals take games as independent; openings=first_moves or openings=pairs varies them"
            )


def say_forfeits(games: pd.DataFrame) -> None:
    """Say which games were lost otherwise than on the board."""
    why = games["ending"].map(forfeit)
    loser = games["player2"].where(games["result"] == 1, games["player1"])
    for (label, reason), lost in games[why != ""].groupby([loser, why], sort=False):
        first = lost.iloc[0]
        how = f"first in game {first['game']}: {first['ending']}"
        report.say(f"{label} lost {len(lost)} game{'s' if len(lost) > 1 else ''} by {FORFEITS[str(reason)]} ({how})")
