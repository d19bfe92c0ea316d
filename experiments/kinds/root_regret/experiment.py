"""The root of a search as a bandit with known means: regret against simulations, in a tree and on stationary bandits.

Every policy searches every position of a fixed set whose moves have exact scores, and plays the two bandits of
`experiments.kinds.root_regret.arms` once for each position, on the same random streams. Where the curves of the tree
are those of a bandit, its root behaves as theory says; where they are not, its arms have drifted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.engine import printing
from experiments.engine.executors import Executor
from experiments.engine.experiment import SHARDS, Experiment, group, list_of
from experiments.engine.families import EXECUTOR, POLICY, LabelledPolicy
from experiments.engine.tasks import Task
from experiments.graded_positions.positions import graded_positions
from experiments.kinds.root_regret import figures
from experiments.kinds.root_regret import tables as made
from experiments.kinds.root_regret.arms import steps_of
from experiments.kinds.root_regret.searches import positions_path, search_positions
from experiments.kinds.root_regret.sheets import SUMMARY, notes
from mcts.policy import CHILDREN, index_rule_of
from numerics.output import tables
from numerics.parameters import parameter

_TASKS = 100  # of a run, about


class RootRegret(Experiment, name="root_regret"):
    """The root of a search as a bandit with known means, on fixed positions of 7x6."""

    policies: Sequence[LabelledPolicy] = list_of(POLICY)
    executor: Executor = group(EXECUTOR)
    positions: int = parameter(400, low=1, high=2_000, help="how many, the first of the set from random games")
    simulations: int = parameter(10_000, low=1, high=1_000_000, help="of the moves of each position")
    playouts_per_move: int = parameter(2_000, low=1, high=1_000_000, help="from which their means are estimated")
    seed: int = parameter(0, low=0, help="decides all random numbers")

    unit = "positions"
    figures = figures.FIGURES
    sheets = (SUMMARY,)
    notes = staticmethod(notes)

    def prepare(self) -> None:
        for entry in self.policies:
            try:
                index_rule_of(entry.policy, horizon=True)
            except ValueError as error:
                raise ValueError(f"{entry.key}{str(error).removeprefix('policy')}") from error
            entry.probe(CHILDREN, self.simulations)

    def announce(self) -> None:
        printing.say(
            f"{self.positions:,} positions of random games, 8 to 28 plies, in which a move can lose the value; "
            f"{self.simulations:,} simulations of each by each policy, in a tree and on two bandits without one"
        )

    def tasks(self, folder: Path) -> list[Task]:
        block = -(-self.positions // _TASKS)
        terms = (tuple(self.policies), self.simulations, self.playouts_per_move, self.seed)
        return [
            Task(folder / SHARDS / f"visits{numbers[0]:07d}.parquet", search_positions, (*terms, numbers), len(numbers))
            for first in range(0, self.positions, block)
            for numbers in [range(first, min(first + block, self.positions))]
        ]

    def source_fingerprint(self) -> str:
        return f"{super().source_fingerprint()}\n{graded_positions()!r}"

    def tables(self, folder: Path) -> dict[str, Any]:
        import pandas as pd

        files = [task.path for task in self.tasks(folder)]
        visits = pd.concat([tables.read(file) for file in files], ignore_index=True)
        positions = pd.concat([tables.read(positions_path(file)) for file in files], ignore_index=True)
        played = made.seen_in(visits, positions)
        curves, summary = made.curves_and_summary(played, positions, steps_of(self.simulations))
        tables.write(visits, folder / "visits.parquet")
        tables.write(positions, folder / "positions.parquet")
        tables.write(curves, folder / "curves.parquet")
        tables.write(summary, folder / "summary.csv")
        if len(self.policies) > 1:
            tables.write(made.differences_of(played), folder / "differences.csv")
        named = [{"label": entry.label, "formula": entry.policy.formula} for entry in self.policies]
        return {"seed": self.seed, "timings": {}, "policies": named}
