"""The tables of a tournament: pairs, cross table, standings."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from experiments.games.results import FORFEITS, forfeit, tally_of
from numerics.statistics.ratings import Observed, ratings

if TYPE_CHECKING:
    import pandas as pd


def pairs_of(games: pd.DataFrame) -> pd.DataFrame:
    """Return one row a player and opponent, in the order of the configuration.

    games, wins, draws, losses, score and its 95 % interval.
    """
    import pandas as pd

    first = str(games["player1"].iloc[0])  # who meets all others, one after another
    players = [first, *dict.fromkeys(games.loc[games["player1"] == first, "player2"])]
    grouped = dict(list(_sides(games).groupby(["player", "opponent"])))
    return pd.DataFrame(
        [
            {"player": player, "opponent": other} | tally_of(grouped[player, other])
            for player, other in itertools.permutations(players, 2)
        ]
    )


def crosstable_of(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return one row a player, in the order of the configuration.

    Its points (wins + draws / 2) against every player, none against itself; then points, their sum; games; and score,
    the points of a game.
    """
    import pandas as pd

    points = points_of(pairs)
    total, games = points.sum(axis=1), pairs.groupby("player")["games"].sum()
    sums = pd.DataFrame({"points": total, "games": games, "score": total / games}, index=points.index)
    return pd.concat([points, sums], axis=1).rename_axis("player").reset_index()


def points_of(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the points of each player, a row, against each other, a column."""
    players = list(dict.fromkeys(pairs["player"]))
    points = pairs.assign(points=pairs["wins"] + pairs["draws"] / 2.0)
    return points.pivot(index="player", columns="opponent", values="points").reindex(index=players, columns=players)


def standings_of(games: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Return one row a player, the highest rating first.

    rank, player; games, wins, draws, losses, score and its 95 % interval; elo with the ends of its 95 % interval, in
    hundredths of a point; lost_by_illegal_move, lost_by_error and lost_by_time.
    """
    import pandas as pd

    points, sides = points_of(pairs), _sides(games)
    rows = []
    for player, elo, half in zip(
        points.index, *ratings(points.to_numpy(), observed_in(games, list(points.index))), strict=True
    ):
        of_player = sides[sides["player"] == player]
        lost = of_player.loc[of_player["result"] == -1, "ending"].map(forfeit)
        rows.append(
            {"player": player}
            | tally_of(of_player, "opponent")
            | {"elo": round(elo, 2), "elo_low": round(elo - half, 2), "elo_high": round(elo + half, 2)}
            | {f"lost_by_{reason}": int((lost == reason).sum()) for reason in FORFEITS}
        )
    table = pd.DataFrame(rows).sort_values("elo", ascending=False, kind="stable", ignore_index=True)
    table.insert(0, "rank", np.arange(1, len(table) + 1))
    return table


def observed_in(games: pd.DataFrame, players: Sequence[str]) -> list[Observed]:
    """Return the games of every pair by observations: the two that follow each other with colours swapped are one."""
    observed = []
    for (player, other), of_pair in games.groupby(["player1", "player2"], sort=False):
        points = (0.5 + 0.5 * of_pair["result"]).groupby(of_pair["game"] // 2, sort=False).agg(["size", "sum"])
        rows = (points[name].to_numpy(np.float64) for name in ("size", "sum"))
        observed.append(Observed(players.index(str(player)), players.index(str(other)), *rows))
    return observed


def _sides(games: pd.DataFrame) -> pd.DataFrame:
    """Return every game twice, once from each side: player, opponent, result, and what games.parquet has else."""
    import pandas as pd

    as_first = games.rename(columns={"player1": "player", "player2": "opponent"})
    other = games.rename(columns={"player2": "player", "player1": "opponent"}).assign(result=-games["result"])
    return pd.concat([as_first, other], ignore_index=True)
