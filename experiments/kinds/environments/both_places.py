"""Games played in both places: in PettingZoo's Connect Four, and under this project's own referee."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from connect4 import Board, pettingzoo_agents, referee
from experiments.games import playing
from numerics.output import tables

PLACES = ("environment", "native")
_COMPARED = ("moves", "plies", "result", "winner", "ending")  # what a game of each place has of its own

GAMES = {**playing.GAMES, **{f"native_{name}": playing.GAMES[name] for name in _COMPARED}}
"""The columns of games.parquet, one row a game.

game ... ending
    As in `experiments.games.playing`; moves, plies, result, winner and ending are those of the environment's game.
native_moves ... native_ending
    The same of the game under this project's own referee.
"""
TIMINGS = {
    "game": "int64",
    **{f"{venue}_{what}": "float64" for venue in PLACES for what in ("seconds", "thinking")},
}
"""The columns of timings.parquet: seconds of the whole game, and what the two players took of them."""


def play_games(
    path: Path, pair: playing.Pair, terms: playing.MatchSettings, before: int, first: int, count: int
) -> None:
    """Play games `first` ... `first + count - 1` of a run, all of one pair, in both places, and store them.

    `before` is the number of the pair's first game.
    """
    import pandas as pd

    env, pair = pettingzoo_agents.environment(), playing.seated(pair)

    def in_environment(first: Any, other: Any, board: Board) -> referee.GameRecord:
        return pettingzoo_agents.play_environment(
            pettingzoo_agents.Agent(first), pettingzoo_agents.Agent(other), env=env
        )

    def timed(venue: str, judge: playing.Referee, game: int) -> dict[str, Any]:
        """Play a game under a referee; the row has its seconds, without those that reset the players."""
        seconds = []

        def watched(*sides: Any) -> referee.GameRecord:
            start = time.perf_counter()
            played = judge(*sides)
            seconds.append(time.perf_counter() - start)
            return played

        row = playing.play(pair, terms, game - before, game, watched)
        return {**row, f"{venue}_seconds": seconds[0], f"{venue}_thinking": row["seconds1"] + row["seconds2"]}

    rows = []
    for game in range(first, first + count):
        there, here = timed("environment", in_environment, game), timed("native", referee.play_game, game)
        rows.append({**here, **there, **{f"native_{name}": here[name] for name in _COMPARED}})
    columns = {**GAMES, **TIMINGS}
    tables.write(pd.DataFrame(rows)[list(columns)].astype(columns), path)
