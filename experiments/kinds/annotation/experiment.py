"""The annotation of a run's games: every move judged by its exact score; `python -m experiments.annotate` makes it.

Which scores are found in time depends on the machine; what is found is exact, and a run that was stopped goes on where
it was.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connect4 import Board
from experiments.engine import printing
from experiments.engine.executors import Executor
from experiments.engine.experiment import SHARDS, Experiment, group
from experiments.engine.families import EXECUTOR
from experiments.engine.tasks import Task
from experiments.games.judged_moves import judge, read
from experiments.games.results import games_of
from experiments.kinds.annotation import figures
from experiments.kinds.annotation.sheets import PLAYERS, caveats, notes
from experiments.kinds.annotation.tables import by_ply, players_table
from experiments.players.perfect import solver_of
from numerics.output import tables
from numerics.parameters import parameter

if TYPE_CHECKING:
    import pandas as pd

_TASKS = 100  # of a run, about


class Annotation(Experiment, name="annotation"):
    """Each move of the games of a run judged by its exact score."""

    summary = "players.csv"

    executor: Executor = group(EXECUTOR)
    run: str = parameter(help="the folder of a match or a tournament")
    seconds: float = parameter(10.0, low=0.0, above=True, help="for a position, at most")

    unit = "games"
    figures = figures.FIGURES
    sheets = (PLAYERS,)
    caveats = staticmethod(caveats)
    notes = staticmethod(notes)

    @functools.cached_property
    def games(self) -> tuple[pd.DataFrame, Board]:
        """The games of the run, and the empty board that they were played on."""
        games, empty = games_of(Path(self.run))
        try:
            with solver_of(empty):
                return games, empty
        except ValueError as error:
            raise ValueError(f"folder {self.run!r} cannot be annotated: {error}") from None

    @property
    def config(self) -> dict[str, Any]:
        """The key of the annotation in its folder; it leaves out the path of the run, which may be moved."""
        _, empty = self.games
        size = f"{empty.width}x{empty.height}"
        return {"kind": self.name, "seconds": self.seconds, "board": size, "connect": empty.connect}

    def announce(self) -> None:
        games, _ = self.games
        plies = f"{int(games['plies'].sum()):,}"
        printing.say(f"{len(games):,} games with {plies} moves; at most {self.seconds:g} s for a position")

    def tasks(self, folder: Path) -> list[Task]:
        games, empty = self.games
        block = -(-len(games) // _TASKS)
        parts = [games.iloc[first : first + block] for first in range(0, len(games), block)]
        return [
            Task(
                folder / SHARDS / f"game{part['game'].iloc[0]:09d}.parquet",
                judge,
                (part, empty, self.seconds),
                len(part),
            )
            for part in parts
        ]

    def source_fingerprint(self) -> str:
        return hashlib.sha256(Path(self.run, "games.parquet").read_bytes()).hexdigest()

    def tables(self, folder: Path) -> dict[str, Any]:
        import pandas as pd

        parts = [read(task.path) for task in self.tasks(folder)]
        moves, decisions = (pd.concat(parts_of_table, ignore_index=True) for parts_of_table in zip(*parts, strict=True))
        games, empty = self.games
        tables.write(moves, folder / "moves.parquet")
        tables.write(decisions, folder / "decisions.parquet")
        tables.write(players_table(moves, decisions, empty.width * empty.height), folder / "players.csv")
        tables.write(by_ply(moves), folder / "by_ply.csv")
        return {"games": len(games), "timings": {}}
