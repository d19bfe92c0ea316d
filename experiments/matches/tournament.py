"""Every pair of several players: cross table, standings with Elo ratings, figures and what is printed."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.engine import console as report
from experiments.matches import printed
from experiments.matches.games import FORFEITS, forfeit, terms_of
from experiments.matches.match import play_pairs, say_what_limits
from experiments.players.specs import player_specs
from experiments.statistics.intervals import tally
from experiments.statistics.ratings import ratings
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd


def run_tournament(config: Mapping[str, Any], folder: Path) -> None:
    """Play every pair of the players and leave tables and figures in `folder`."""
    players = player_specs(config["players"])
    terms = terms_of(config, whole_rounds=not any(one.is_human for one in players))
    games = play_pairs(config, folder, players, list(itertools.combinations(players, 2)), terms, _leave_results)
    report.console().print(printed.crosstable_table(crosstable_of(games), terms.games))
    report.console().print(printed.standings_table(standings_of(games)))
    say_what_limits(games)
    report.say_places(folder)


def _leave_results(games: pd.DataFrame, folder: Path) -> None:
    tables.write(pairs_of(games), folder / "pairs.csv")
    tables.write(crosstable_of(games), folder / "crosstable.csv")
    tables.write(standings_of(games), folder / "standings.csv")
    draw_tournament(folder, games)


def draw_tournament(folder: Path, games: pd.DataFrame | None = None) -> list[Path]:
    """Draw the figures of a tournament from its games, read from the folder unless they are given."""
    from experiments.matches import figures
    from numerics.output.style import files, page

    games = tables.read(folder / "games.parquet") if games is None else games
    pairs, standings = pairs_of(games), standings_of(games)
    places = [folder / "figures" / name for name in ("crosstable", "ratings")]
    count = len(standings)
    beside = 0.6 + 0.065 * min(60, standings["player"].str.len().max())  # inches of the longest name
    with page(places[0], (beside + 1.6 + 0.72 * count, 1.4 + 0.5 * count)) as figure:
        figures.draw_crosstable(figure, figure.subplots(), pairs, list(standings["player"]))
    with page(places[1], (beside + 6.0, 1.5 + 0.38 * count)) as figure:
        figures.draw_ratings(figure.subplots(), standings)
    return [file for place in places for file in files(place)]


def _players_of(games: pd.DataFrame) -> list[str]:
    """Return the labels in the order of the configuration: the first meets all others, one after another."""
    first = str(games["player1"].iloc[0])
    return [first, *dict.fromkeys(games.loc[games["player1"] == first, "player2"])]


def _sides(games: pd.DataFrame) -> pd.DataFrame:
    """Return every game twice, once from each side: player, opponent, result and why it was lost otherwise."""
    import pandas as pd

    why = games["ending"].map(forfeit)
    own = pd.DataFrame(
        {"player": games["player1"], "opponent": games["player2"], "result": games["result"], "why": why}
    )
    other = own.rename(columns={"player": "opponent", "opponent": "player"}).assign(result=-games["result"])
    return pd.concat([own, other], ignore_index=True)


def pairs_of(games: pd.DataFrame) -> pd.DataFrame:
    """Return one row a player and opponent: games, wins, draws, losses, score and its 95 % interval."""
    import pandas as pd

    sides, players = _sides(games), _players_of(games)
    grouped = {key: part["result"] for key, part in sides.groupby(["player", "opponent"])}
    return pd.DataFrame(
        [
            {"player": one, "opponent": other} | tally(grouped[one, other])
            for one, other in itertools.permutations(players, 2)
        ]
    )


def crosstable_of(games: pd.DataFrame) -> pd.DataFrame:
    """Return one row a player, in the order of the configuration.

    Its points (wins + draws / 2) against every player, none against itself; then points, their sum; games; and score,
    the points of a game.
    """
    import pandas as pd

    players, points = _players_of(games), _points(games)
    counts = _sides(games)["player"].value_counts()
    total = np.nansum(points, axis=1)
    rows = [
        [player, *points[place], total[place], counts[player], total[place] / counts[player]]
        for place, player in enumerate(players)
    ]
    return pd.DataFrame(rows, columns=["player", *players, "points", "games", "score"])


def _points(games: pd.DataFrame) -> Any:
    """Return the points of each player against each other; NaN on the diagonal."""
    players = _players_of(games)
    place = {name: number for number, name in enumerate(players)}
    points = np.full((len(players), len(players)), np.nan)
    for row in pairs_of(games).to_dict("records"):
        points[place[row["player"]], place[row["opponent"]]] = row["wins"] + row["draws"] / 2.0
    return points


def standings_of(games: pd.DataFrame) -> pd.DataFrame:
    """Return one row a player, the highest rating first.

    rank, player; games, wins, draws, losses, score and its 95 % interval; elo with the ends of its 95 % interval, in
    hundredths of a point; lost_by_illegal_move, lost_by_error and lost_by_time.
    """
    import pandas as pd

    sides, players = _sides(games), _players_of(games)
    elo, half = ratings(_points(games))
    rows = []
    for place, player in enumerate(players):
        own = sides[sides["player"] == player]
        lost = own.loc[own["result"] == -1, "why"]
        rows.append(
            {"player": player}
            | tally(own["result"])
            | {"elo": elo[place], "elo_low": elo[place] - half[place], "elo_high": elo[place] + half[place]}
            | {f"lost_by_{one}": int((lost == one).sum()) for one in FORFEITS}
        )
    table = pd.DataFrame(rows).sort_values("elo", ascending=False, kind="stable", ignore_index=True)
    table[["elo", "elo_low", "elo_high"]] = table[["elo", "elo_low", "elo_high"]].round(2)
    table.insert(0, "rank", np.arange(1, len(table) + 1))
    return table
