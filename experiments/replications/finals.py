"""The final regret of replications, for experiments that need nothing else: cutting into tasks, and playing."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bandits import Arms, Policy
from bandits.simulation import replicate
from experiments.engine.tasks import Task
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd

_STEPS = 5_000_000  # of a task, about
UNIT = "million pulls"


def plan(stem: Path, policy: Policy, arms: Arms, horizon: int, runs: int, seed: int) -> Iterator[Task]:
    """Yield the tasks of a policy on some arms; the names of their files begin with `stem`."""
    size = max(1, _STEPS // horizon)
    for first in range(0, runs, size):
        count = min(size, runs - first)
        path = stem.with_name(f"{stem.name}_run{first:07d}.parquet")
        yield Task(path, play_finals, (policy, arms, horizon, seed, first, count), max(1, count * horizon // 1_000_000))


def play_finals(path: Path, policy: Policy, arms: Arms, horizon: int, seed: int, first: int, runs: int) -> None:
    """Play replications `first` ... `first + runs - 1`; store each pseudo-regret, and its part of the seconds."""
    began = time.perf_counter()
    played = replicate(policy, arms, horizon, np.array([horizon], dtype=np.int64), seed, first, runs)
    seconds = time.perf_counter() - began
    tables.write(tables.table_of({"regret": played.pseudo_regret[:, 0], "seconds": seconds / runs}), path)


def read(tasks: Sequence[Task]) -> pd.DataFrame:
    """Return one row a replication: regret, seconds."""
    return tables.read_all([task.path for task in tasks])
