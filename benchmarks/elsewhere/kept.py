"""Which moves keep the value: one file for each game, player, number of simulations and set of positions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.elsewhere.players import player_of
from benchmarks.elsewhere.positions import draw, graded, values_of
from benchmarks.solved_games import GAMES
from experiments.engine.tasks import Task
from experiments.graded_positions.positions import Graded
from mcts import playout_values
from numerics.output import tables
from numerics.random import Purpose, derived_seed

TUNING, REPORT = "tuning", "report"
_PLAYOUTS = 1_000  # after each move, which say which move playouts rank first

Kept = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Study:
    """What is measured, and where its files lie.

    Attributes
    ----------
    folder : Path
        For files whose names do not say the settings below.
    games : tuple of str
        Names of `GAMES`.
    positions, tuning : int
        Positions of each game on which the page reports, and others on which constants are chosen.
    simulations : int
        Of a move; claims are also measured with a tenth of it, and ten times as many.
    budgets : tuple of int
        The simulations of a move in the figure.
    seed : int
        Decides all random numbers.
    """

    folder: Path
    games: tuple[str, ...]
    positions: int
    tuning: int
    simulations: int
    budgets: tuple[int, ...]
    seed: int

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The three numbers of simulations of the claims."""
        return max(1, self.simulations // 10), self.simulations, 10 * self.simulations

    def place(self, game: str) -> Path:
        """Return the folder of a game under these settings."""
        return self.folder / f"{game}_{self.tuning}_{self.positions}_{self.seed}"

    def drawing(self, game: str) -> Task:
        """Return the task that draws the positions of a game."""
        count = self.tuning + self.positions
        return Task(self.place(game) / "positions.json", draw, (game, count, self.seed), count)

    def graded(self, game: str, which: str = REPORT) -> tuple[Graded, ...]:
        """Return the positions of a game on which the page reports, or those for tuning."""
        return positions_of(self.place(game), game, self.tuning, which)

    def asking(self, game: str, which: str, policy: str, added: Mapping[str, Any], simulations: int) -> Task:
        """Return the task that asks a player for its moves in a set of positions."""
        words = [which, policy or "flat", *(f"{name}={value}" for name, value in added.items()), str(simulations)]
        path = self.place(game) / f"{re.sub(r'[^A-Za-z0-9_.=]+', '-', '_'.join(words))}.parquet"
        size = self.tuning if which == TUNING else self.positions
        return Task(path, ask, (game, self.tuning, which, policy, dict(added), simulations, self.seed), size)

    def misleading(self, game: str) -> Task:
        """Return the task that looks which move uniform playouts rank first."""
        return Task(self.place(game) / "playouts.parquet", mislead, (game, self.tuning, self.seed), self.positions)


def positions_of(place: Path, game: str, tuning: int, which: str) -> tuple[Graded, ...]:
    """Return the positions of a game for tuning, or those on which the page reports."""
    positions = graded(place / "positions.json", game)
    return positions[:tuning] if which == TUNING else positions[tuning:]


def ask(
    path: Path,
    game: str,
    tuning: int,
    which: str,
    policy: str,
    added: Mapping[str, Any],
    simulations: int,
    seed: int,
) -> None:
    """Store whether a player's moves keep the value."""
    number = list(GAMES).index(game)
    player = player_of(policy, added, simulations, derived_seed(seed, (Purpose.STRENGTH_PLAYER, number)))
    rows = []
    for index, position in enumerate(positions_of(path.parent, game, tuning, which)):
        player.reset(index)
        move = int(player.play(position.board))
        rows.append({"position": index, "move": move, "kept": position.keeps_value(move)})
    tables.write(tables.table_of(rows), path)


def mislead(path: Path, game: str, tuning: int, seed: int) -> None:
    """Store the mean result of uniform playouts after each move, and whether the first of them keeps the value."""
    rows = []
    for index, position in enumerate(positions_of(path.parent, game, tuning, REPORT)):
        playout_seed = derived_seed(seed, (Purpose.ROOT_PLAYOUTS, index))
        means = playout_values(position.board, _PLAYOUTS, playouts="uniform", seed=playout_seed).means
        values = values_of(position)
        right = bool(values[int(np.argmax(means))] == values.max())
        rows.append({"position": index, "means": " ".join(f"{mean:.6f}" for mean in means), "kept": right})
    tables.write(tables.table_of(rows), path)


def kept_in(task: Task) -> Kept:
    """Return what a task stored: whether each move keeps the value."""
    return tables.read(task.path)["kept"].to_numpy(np.bool_)
