"""Games of random players, or of any two, as an object of study: lengths, draws, numbers of games and positions.

A kernel plays random players, and the numbers of games and positions of their board are counted or estimated. Other
players meet as in a match, each with the first move in half of the games. For them only lengths and results are
studied.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connect4 import Board
from connect4.combinatorics.counting import Ply
from connect4.lines import LARGEST
from experiments.engine import printing
from experiments.engine.executors import Executor
from experiments.engine.experiment import SHARDS, Experiment, group
from experiments.engine.families import EXECUTOR
from experiments.engine.tasks import Task
from experiments.games import playing, results
from experiments.games.rules import Connect4
from experiments.kinds.random_games import random_play_figures, random_play_tables, shards
from experiments.kinds.random_games.board_sweep import SWEEP
from experiments.kinds.random_games.random_play_sheets import COUNTS, LAWS, RESULTS, notes
from experiments.players.specs import PLAYER, PlayerSpec, check_programs
from numerics import checks
from numerics.output import tables
from numerics.parameters import parameter

if TYPE_CHECKING:
    import pandas as pd

_MOST_PLAYED = 10_000_000  # by players that are not a kernel


class RandomGames(Experiment, name="random_games"):
    """Statistics of random games: lengths, draws, numbers of games and positions."""

    player1: PlayerSpec = group(PLAYER)
    player2: PlayerSpec = group(PLAYER)
    executor: Executor = group(EXECUTOR)
    games: int = parameter(10_000, low=1, most=10**9, help="number of games")
    paths: int = parameter(
        1_000_000, low=1, most=10**9, help="for random play: random paths that estimate the number of games"
    )
    position_paths: int = parameter(
        10_000, low=1, most=10**7, help="for random play: random paths that estimate the number of positions"
    )
    fillings: int = parameter(
        100_000, low=1, most=10**9, help="for random play: number of full boards coloured at random"
    )
    exact_positions: int = parameter(
        10_000_000, low=1, help="for random play: maximal number of positions of a ply that are counted exactly"
    )
    board: str = parameter("7x6", help="columns x rows")
    connect: int = parameter(4, low=2, high=LARGEST, help="stones in a row that win")
    seed: int = parameter(0, low=0, help="random seed")

    unit = "parts of games and paths"
    figures = random_play_figures.FIGURES
    sheets = (RESULTS, LAWS, COUNTS)
    notes = staticmethod(notes)
    sweep = SWEEP

    @property
    def pair(self) -> playing.Pair:
        """The two players."""
        return self.player1, self.player2

    @property
    def at_random(self) -> bool:
        """Whether both players are random, so that a kernel plays and numbers are counted and estimated."""
        return all(player.made.name == "random" for player in self.pair)

    @property
    def empty(self) -> Board:
        """The board that games begin on."""
        return self.rules.empty

    @property
    def rules(self) -> Connect4:
        """The rules on this board."""
        return Connect4(board=self.board, connect=self.connect)

    @property
    def shape(self) -> random_play_tables.Shape:
        """Width, height and connect."""
        empty = self.empty
        return empty.width, empty.height, empty.connect

    def adjusted(self) -> dict[str, Any]:
        return {} if self.at_random else playing.in_whole_rounds(self.games)

    def prepare(self) -> None:
        check_programs({"player1": self.player1, "player2": self.player2}, "play thousands of games")
        self.rules.check_players(self.pair)
        if not self.at_random:
            checks.check_whole("games", self.games, 1, most=_MOST_PLAYED)

    def announce(self) -> None:
        width, height, connect = self.shape
        names = " against ".join(player.label for player in self.pair)
        printing.say(f"{names}, {self.games:,} games on {width}x{height}, {connect} in a row")

    def tasks(self, folder: Path) -> Sequence[Task]:
        if not self.at_random:
            terms = playing.MatchSettings(self.rules, ((),), self.games, self.seed)
            return playing.plan([playing.labelled_apart(self.pair)], terms, folder / SHARDS)
        return shards.plan(vars(self), self.shape, self.seed, folder / SHARDS)

    def tables(self, folder: Path) -> dict[str, Any]:
        written, seconds = self._of_random(folder) if self.at_random else self._of_match(folder)
        for name, table in written.items():
            tables.write(table, folder / name)
        return {"seed": self.seed, "timings": {"playing": round(seconds, 3)}}

    def _of_random(self, folder: Path) -> tuple[dict[str, pd.DataFrame], float]:
        """Return every table of random play, and the seconds of the work."""
        results, timings = shards.gather(self.tasks(folder))
        walked = [Ply(**fields) for fields in results["exact_positions"][0]]
        lengths = random_play_tables.lengths_of_random(results["games"])
        summary = random_play_tables.summary(lengths, self.shape, ("random", "random"), walked)
        paths, position_paths = (shards.join(results[kind]) for kind in ("paths", "position_paths"))
        written = {
            **random_play_tables.of_games(lengths, summary, self.shape, sum(results["fillings"]), self.fillings),
            "counts.csv": random_play_tables.counts(self.shape, walked, paths, position_paths),
            "chances.csv": random_play_tables.chances(walked),
            "timings.parquet": tables.table_of(timings),
        }
        return written, float(sum(timing["seconds"] for timing in timings))

    def _of_match(self, folder: Path) -> tuple[dict[str, pd.DataFrame], float]:
        """Return the tables of games of other players, and their thinking time in seconds."""
        played, timings = playing.gather(self.tasks(folder))
        first, other = (player.label for player in self.pair)
        lengths = random_play_tables.lengths_of_match(played, first if first == other else None)
        forfeits = sum(bool(results.forfeit(str(ending))) for ending in played["ending"])
        summary = random_play_tables.summary(lengths, self.shape, (first, other), [], forfeits)
        written = {
            **random_play_tables.of_games(lengths, summary, self.shape),
            "games.parquet": played,
            "timings.parquet": timings,
        }
        return written, float(timings[["seconds1", "seconds2"]].to_numpy().sum())
