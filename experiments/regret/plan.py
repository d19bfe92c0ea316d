"""A run as a list of shards: which replications of which policy are played together and stored in one file.

The cut depends only on the problem, never on the workers, so that a run can be finished by another executor.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bandits import Arms
from bandits.simulate import check_pair, default_checkpoints, replicate
from experiments.build import Entry
from experiments.regret import shards

_STEPS = 5_000_000  # of a shard, at least: a thousand times the cost of handing one out
_TOGETHER = 160  # replications of a shard, at least, so that blocks are full ...
_MOST_STEPS = 2_000_000_000  # ... unless that would make it take minutes
_MOST_SHARDS = 1_000_000  # files of one policy


@dataclass(frozen=True)
class Problem:
    """What every policy of a run is played on."""

    arms: Arms
    horizon: int
    runs: int
    seed: int

    @property
    def checkpoints(self) -> npt.NDArray[np.int64]:
        """The steps at which curves are kept."""
        return default_checkpoints(self.horizon)


@dataclass(frozen=True)
class Shard:
    """Replications `first` ... `first + runs - 1` of one policy, and the file that holds them once they are played."""

    policy_number: int
    entry: Entry
    problem: Problem
    first: int
    runs: int
    folder: Path

    @property
    def path(self) -> Path:
        """The shard's file, there only when it is whole."""
        return self.folder / f"policy{self.policy_number:03d}_run{self.first:09d}.parquet"

    @property
    def name(self) -> str:
        """What the shard holds, in words that no other shard has."""
        arms = hashlib.sha256(repr(self.problem.arms).encode()).hexdigest()[:16]
        return (
            f"{self.runs} replications from {self.first} on, of {self.problem.horizon} pulls, of policy "
            f"{self.policy_number} ({self.entry.policy.formula}), seed {self.problem.seed}, arms {arms}"
        )

    def __call__(self) -> None:
        """Play the shard and store it."""
        start = time.perf_counter()
        played = replicate(
            self.entry.policy, self.problem.arms, self.problem.horizon, self.problem.checkpoints, self.problem.seed,
            self.first, self.runs,
        )  # fmt: skip
        shards.write(played, self.path, time.perf_counter() - start, self.name)


def plan(entries: Sequence[Entry], problem: Problem, folder: Path) -> list[Shard]:
    """Cut a run into shards, after refusing a policy that is not defined on the problem."""
    for entry in entries:
        entry.probe((problem.arms.count,), problem.horizon)
        check_pair(entry.policy, problem.arms, problem.horizon)
    size = shard_runs(problem.horizon)
    if problem.runs > _MOST_SHARDS * size:
        raise ValueError(f"runs must be at most {_MOST_SHARDS * size} at horizon {problem.horizon}; got {problem.runs}")
    return [
        Shard(number, entry, problem, first, min(size, problem.runs - first), folder)
        for number, entry in enumerate(entries)
        for first in range(0, problem.runs, size)
    ]


def shard_runs(horizon: int) -> int:
    """Return how many replications of a horizon make a shard."""
    return max(1, _STEPS // horizon, min(_TOGETHER, _MOST_STEPS // horizon))
