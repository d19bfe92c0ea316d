"""The final regret of replications, for experiments that need nothing else: cutting into tasks, and playing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bandits import Arms, Policy
from bandits.simulation import replicate
from experiments.engine.experiment import SHARDS
from experiments.engine.families import LabelledPolicy
from experiments.engine.tasks import Task, parts_of
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd

_STEPS = 5_000_000  # of a task, about
UNIT = "million pulls"


class Sample(NamedTuple):
    """The replications of a policy on a problem, as tasks of a run."""

    entry: LabelledPolicy
    problem: Any
    tasks: Sequence[Task]

    def read(self) -> pd.DataFrame:
        """Return one row a replication: regret, seconds."""
        return tables.read_all([task.path for task in self.tasks])


def plan(folder: Path, index: int, entry: LabelledPolicy, problem: Any, runs: int, seed: int) -> Sample:
    """Cut replications of policy number `index` on a problem, which has a name, arms and a horizon, into tasks."""
    name, horizon = problem.name.replace(" ", "_"), problem.horizon
    return Sample(
        entry,
        problem,
        [
            Task(
                folder / SHARDS / f"policy{index:03d}_{name}_run{part[0]:07d}.parquet",
                play_finals,
                (entry.policy, problem.arms, horizon, seed, part[0], len(part)),
                max(1, len(part) * horizon // 1_000_000),
            )
            for part in parts_of(runs, max(1, _STEPS // horizon))
        ],
    )


def play_finals(path: Path, policy: Policy, arms: Arms, horizon: int, seed: int, first: int, runs: int) -> None:
    """Play replications `first` ... `first + runs - 1`; store each pseudo-regret, and its part of the seconds."""
    began = time.perf_counter()
    played = replicate(policy, arms, horizon, np.array([horizon], dtype=np.int64), seed, first, runs)
    seconds = time.perf_counter() - began
    tables.write(tables.table_of({"regret": played.pseudo_regret[:, 0], "seconds": seconds / runs}), path)
