"""Games played in both places: in PettingZoo's Connect Four, and under this project's own referee."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from connect4 import pettingzoo, referee
from experiments.games import playing
from experiments.games.results import tally_of
from numerics.output import tables
from numerics.statistics.scores import Scores

if TYPE_CHECKING:
    import pandas as pd

PLACES = ("environment", "native")
_COMPARED = ("moves", "plies", "result", "winner", "ending")  # what a game of each place has of its own

GAMES = {**playing.GAMES, **{f"native_{name}": playing.GAMES[name] for name in _COMPARED}}
"""The columns of games.parquet, one row a game.

game ... ending
    As in `experiments.games.playing`; moves, plies, result, winner and ending are those of the environment's game.
native_moves ... native_ending
    The same of the game under this project's own referee.
"""
TIMINGS = {"game": "int64", **{f"{venue}_{what}": "float64" for venue in PLACES for what in ("seconds", "thinking")}}
"""The columns of timings.parquet: seconds of the whole game, and what the two players took of them."""


def play_games(
    path: Path, pair: playing.Pair, terms: playing.MatchSettings, before: int, first: int, count: int
) -> None:
    """Play games `first` ... `first + count - 1` of a run, all of one pair, in both places, and store them.

    `before` is the number of the pair's first game.
    """
    env, pair = pettingzoo.environment(), playing.copy_pair(pair)

    def in_environment(first: Any, other: Any, *_: Any) -> referee.GameRecord:
        return pettingzoo.play_environment(first, other, env=env)

    def timed(venue: str, judge: playing.Referee | None, game: int) -> dict[str, Any]:
        start = time.perf_counter()
        row = playing.play_pairs(pair, terms, game - before, game, judge)
        seconds = time.perf_counter() - start
        return {**row, f"{venue}_seconds": seconds, f"{venue}_thinking": row["seconds1"] + row["seconds2"]}

    rows = []
    for game in range(first, first + count):
        there, here = timed("environment", in_environment, game), timed("native", None, game)
        rows.append({**here, **there, **{f"native_{name}": here[name] for name in _COMPARED}})
    columns = {**GAMES, **TIMINGS}
    tables.write(tables.table_of(rows)[list(columns)].astype(columns), path)


LEVEL = 0.05


def summary_of(played: pd.DataFrame) -> pd.DataFrame:
    """Return one row a pair: the first player's results in both places, and whether they differ.

    Parameters
    ----------
    played : pandas.DataFrame
        The columns `both_places.GAMES`.

    Returns
    -------
    pandas.DataFrame
        player, opponent, games, and how many of the games have the same moves and ending in both places. For each
        place: wins, draws, losses, score = (wins + draws / 2) / games with the ends of its 95 % interval, and games
        ended by an illegal move. Then comes the difference of the scores, environment minus native, with the ends of
        its 95 % interval and its p-value (`compare_pairs`). The last column is the p-value adjusted for the number of
        pairs (Benjamini and Hochberg 1995).
    """
    from scipy.stats import false_discovery_control

    rows = []
    for (player, opponent), of_pair in played.groupby(["player1", "player2"], sort=False):
        row: dict[str, Any] = {"player": player, "opponent": opponent, "games": len(of_pair)}
        row["identical"] = int((_is_same(of_pair, "moves") & _is_same(of_pair, "ending")).sum())
        for venue, prefix in zip(PLACES, ("", "native_"), strict=True):
            counted = tally_of(of_pair.assign(result=of_pair[f"{prefix}result"]))
            row |= {f"{venue}_{name}": value for name, value in counted.items() if name != "games"}
            row[f"{venue}_illegal"] = int(of_pair[f"{prefix}ending"].str.startswith("illegal move").sum())
        points = 0.5 * (of_pair["result"] - of_pair["native_result"]).to_numpy(np.float64)
        rows.append(row | dict(zip(("difference", "low", "high", "p_value"), compare_pairs(points), strict=True)))
    table = tables.table_of(rows)
    return table.assign(p_adjusted=false_discovery_control(table["p_value"]))


def _is_same(games: pd.DataFrame, name: str) -> pd.Series[bool]:
    return games[name] == games[f"native_{name}"]


def compare_pairs(differences: npt.NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Return the mean of paired differences of points, the ends of its 95 % interval, and the p-value of a mean of 0.

    Those of `numerics.statistics.scores`: differences that are all 0 leave open what other games would do.

    Examples
    --------
    >>> [round(float(value), 3) for value in compare_pairs(np.zeros(100))]
    [0.0, -0.046, 0.046, 1.0]
    """
    scores = Scores([differences], limits=(-1.0, 1.0))
    return (float(differences.mean()), *scores.interval(), scores.p_value())


def verdict(row: Mapping[Any, Any]) -> str:
    """Return a sentence about a row of the summary."""
    if row["identical"] == row["games"]:
        return "the same games"
    return "different" if row["p_adjusted"] < LEVEL else "no significant difference"


def times_of(played: pd.DataFrame, timings: pd.DataFrame) -> pd.DataFrame:
    """Return the median seconds of a game of every pair in both places, in the order of the pairs.

    The median, because the first game of a run also loads kernels.
    """
    columns = [f"{venue}_seconds" for venue in PLACES]
    everything = played[["game", "player1", "player2"]].merge(timings, on="game")
    return everything.groupby(["player1", "player2"], sort=False)[columns].median().reset_index()
