"""The rewards of a parameter's value: moves that keep the value of solved positions, or pairs of games.

A reward is 1 if the move keeps the value of a position, else 0. Or it is the score of a pair of games, in [0, 1].
Reward number n is of the same position, or of the same opening and seeds, for every value. Positions come in a random
order, which the arguments of `bandits.identification.plans` need, because the set lists them by kind.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from experiments.engine.experiment import SHARDS
from experiments.engine.tasks import Task
from experiments.games.playing import MatchSettings, Pair, play_games
from experiments.graded_positions.choices import ask
from experiments.graded_positions.positions import BOTH, Graded, sourced_positions
from experiments.players.specs import PlayerSpec
from numerics.output import tables
from numerics.random import Purpose, derived_seed

POSITIONS, GAMES = "positions", "games"
SIGNALS = (POSITIONS, GAMES)
UNITS = {POSITIONS: "moves", GAMES: "pairs of games"}
_TASKS = 8  # of a step of one value
_MOST_PAIRS = 10**8

Floats = npt.NDArray[np.float64]


@functools.lru_cache(maxsize=2)
def in_random_order(seed: int) -> tuple[tuple[Graded, str], ...]:
    """Return the solved positions and their kinds, each once, in an order that the seed decides.

    Examples
    --------
    >>> first, second = in_random_order(1), in_random_order(2)
    >>> first == second, sorted(map(repr, first)) == sorted(map(repr, second))
    (False, True)
    """
    positions = sourced_positions(BOTH)
    order = np.random.default_rng(derived_seed(seed, (Purpose.TUNING_ORDER,))).permutation(len(positions))
    return tuple(positions[i] for i in order)


@dataclass(frozen=True)
class Rewards:
    """The rewards of players, as tasks of a run.

    Attributes
    ----------
    signal : {"positions", "games"}
    opponent : PlayerSpec
        In games.
    terms : MatchSettings
        Of the games.
    seed : int
        Of the moves.
    """

    signal: str
    opponent: PlayerSpec
    terms: MatchSettings
    seed: int

    def planned(self, player: PlayerSpec, arm: int, first: int, count: int, folder: Path) -> list[Task]:
        """Return the tasks of rewards number `first` ... `first + count - 1` of a value."""
        size, end = -(-count // _TASKS), first + count
        return [
            task
            for start in range(first, end, size)
            for task in self._tasks(player, arm, start, min(size, end - start), folder / SHARDS)
        ]

    def _tasks(self, player: PlayerSpec, arm: int, first: int, count: int, folder: Path) -> list[Task]:
        if self.signal == GAMES:
            pair: Pair = (player, self.opponent)
            terms, before = dataclasses.replace(self.terms, paired=True), 2 * _MOST_PAIRS * arm
            path = folder / f"arm{arm:04d}_{first:09d}.parquet"
            return [Task(path, play_games, (pair, terms, before, before + 2 * first, 2 * count), count)]
        tasks, many = [], len(sourced_positions(BOTH))
        while count:  # the set again, in another order and from other streams, where it has been gone through
            turn, offset = divmod(first, many)
            size = min(count, many - offset)
            seed = derived_seed(self.seed, (Purpose.TUNING, turn))
            positions = in_random_order(seed)
            path = folder / f"arm{arm:04d}_{first:09d}.parquet"
            tasks.append(Task(path, ask, (player, seed, offset, positions[offset : offset + size]), size))
            first, count = first + size, count - size
        return tasks

    def read(self, planned: Sequence[Task]) -> Floats:
        """Return the rewards that tasks have left."""
        rows = tables.read_all([task.path for task in planned])
        if self.signal == POSITIONS:
            return rows["keeps_value"].to_numpy(np.float64)
        results = rows["result"].to_numpy(np.float64)
        return np.asarray(0.5 + 0.25 * (results[::2] + results[1::2]))
