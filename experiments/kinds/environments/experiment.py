"""Players in PettingZoo's Connect Four and on the board of this project: the same games, and their times there.

Both games of a number have the same players, made anew from the same seed, so that players who draw only from their own
streams play them move for move alike. What can differ is what is compared: the results, and the time.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from connect4 import Board, pettingzoo_agents
from experiments.engine import printing
from experiments.engine.executors import Executor
from experiments.engine.executors.serial import Serial
from experiments.engine.experiment import SHARDS, Experiment, list_of
from experiments.engine.families import PLAYER
from experiments.engine.tasks import Task
from experiments.games import playing
from experiments.kinds.environments import figures
from experiments.kinds.environments.both_places import GAMES, PLACES, TIMINGS, play_games
from experiments.kinds.environments.sheets import RESULTS, notes
from experiments.kinds.environments.summary import summary_of
from experiments.players.specs import PlayerSpec
from numerics.output import tables
from numerics.parameters import parameter


class Environments(Experiment, name="environments"):
    """Players against each other in PettingZoo's Connect Four and on the board of this project."""

    players: Sequence[PlayerSpec] = list_of(PLAYER)
    games: int = parameter(100, low=1, most=10_000_000, help="games of each pair, in each place")
    seed: int = parameter(0, low=0, help="decides all random numbers")

    unit = "games"
    figures = figures.FIGURES
    sheets = (RESULTS,)
    notes = staticmethod(notes)

    @property
    def pairs(self) -> list[playing.Pair]:
        """Who plays whom."""
        return list(combinations(self.players, 2))

    @property
    def terms(self) -> playing.MatchSettings:
        """What all games have in common; the environment has no other board."""
        return playing.MatchSettings(Board(), ((),), self.games, self.seed)

    @property
    def version(self) -> str:
        """The other place, and which."""
        return f"PettingZoo {importlib.metadata.version('pettingzoo')}"

    def adjusted(self) -> dict[str, Any]:
        return playing.in_whole_rounds(self.games)

    def prepare(self) -> None:
        for index, spec in enumerate(self.players):
            if spec.is_human:
                raise ValueError(
                    f"players[{index}] must be a program, which can play a game in both places; got 'human'"
                )
        try:
            pettingzoo_agents.environment()
        except ImportError as error:
            raise ValueError(f"experiment=environments cannot run: {error}") from error

    def announce(self) -> None:
        games, pairs = f"{self.games:,} games", len(self.pairs)
        each = f"{games} of each of {pairs} pairs" if pairs > 1 else games
        names = "; ".join(spec.label for spec in self.players)
        printing.say(f"{names}\n{each}, in {self.version} and, from the same seeds, here")

    def tasks(self, folder: Path) -> list[Task]:
        planned = playing.plan(self.pairs, self.terms, folder / SHARDS)
        return [dataclasses.replace(task, function=play_games) for task in planned]

    @property
    def executor_used(self) -> Executor:
        """Plays one game after another, because simultaneous games would disturb the times."""
        return Serial()

    def source_fingerprint(self) -> str:
        return f"{super().source_fingerprint()}\n{self.version}"

    def tables(self, folder: Path) -> dict[str, Any]:
        import pandas as pd

        rows = pd.concat([tables.read(task.path) for task in self.tasks(folder)], ignore_index=True)
        tables.write(rows[list(GAMES)], folder / "games.parquet")
        tables.write(rows[list(TIMINGS)], folder / "timings.parquet")
        tables.write(summary_of(rows), folder / "summary.csv")
        seconds = float(np.sum(rows[[f"{venue}_seconds" for venue in PLACES]].to_numpy()))
        players = [{"label": spec.label, "name": spec.name} for spec in self.players]
        timings = {"playing": round(seconds, 3)}
        return {"seed": self.seed, "timings": timings, "players": players, "environment": self.version}
