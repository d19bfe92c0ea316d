"""Policies on one bandit: the configuration, the tasks and the tables that `regret` and `comparison` share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits import Arms
from bandits import tables as simulation_tables
from bandits.differences import final_regret
from bandits.simulate import LONGEST, MOST_RUNS, check_pair, prepare
from experiments.engine.executors import Executor
from experiments.engine.experiment import Experiment, Facts, group
from experiments.engine.families import ARMS, EXECUTOR, LabelledPolicy
from experiments.engine.printing import say
from experiments.engine.tasks import Task
from experiments.replications import figures, shards, sweep
from experiments.replications.arms import beyond_theory, describe_arms, note_of, say_problem, write_log
from numerics.output import tables
from numerics.output.figures import stored
from numerics.parameters import parameter

if TYPE_CHECKING:
    import pandas as pd


class Simulation(Experiment):
    """Policies on one bandit, each for many replications."""

    arms: Arms = group(ARMS)
    executor: Executor = group(EXECUTOR)
    horizon: int = parameter(10_000, low=1, most=LONGEST, help="pulls of a replication")
    runs: int = parameter(1_000, low=1, most=MOST_RUNS, help="replications")
    seed: int = parameter(0, low=0, help="decides all random numbers")

    unit = "replications"
    options = ("log", "policies")
    figures = figures.FIGURES
    together = staticmethod(sweep.draw_sweep)
    sweep_sheets = (sweep.SHEET,)
    sweep_notes = staticmethod(sweep.notes)

    @classmethod
    def draw(cls, folder: Path, facts: Facts, **options: Any) -> list[Path]:
        figures.check_arms(folder, facts)
        shown = figures.FIGURES if options else cls.figures
        return figures.draw(shown, folder / "figures", stored(folder), facts, **options)

    @property
    def entries(self) -> Sequence[LabelledPolicy]:
        """The policies."""
        raise NotImplementedError

    def prepare(self) -> None:
        most = shards.MOST_SHARDS * shards.shard_runs(self.horizon)
        if self.runs > most:
            raise ValueError(f"runs must be at most {most} at horizon {self.horizon}; got {self.runs}")
        for entry in self.entries:
            entry.probe((self.arms,), self.horizon)
            check_pair(entry.policy, self.arms, self.horizon)
        for entry in self.entries:
            prepare(entry.policy, self.arms, self.horizon)  # here, once, and not in every worker

    def announce(self) -> None:
        say_problem(self.arms)
        each = " by each policy" if len(self.entries) > 1 else ""
        who = ", ".join(entry.label for entry in self.entries)
        say(f"{who}: {self.runs:,} replication{'s' * (self.runs > 1)} of {self.horizon:,} pulls{each}")

    @property
    def _beyond_theory(self) -> str:
        return beyond_theory({entry.label: entry.policy for entry in self.entries}, self.arms)

    def tasks(self, folder: Path) -> list[Task]:
        problem = shards.Setting(self.arms, self.horizon, self.runs, self.seed)
        return shards.plan([entry.policy for entry in self.entries], problem, folder)

    def tables(self, folder: Path) -> dict[str, Any]:
        import pandas as pd

        curves, summary, timings, finals = [], [], [], {}
        planned = self.tasks(folder)
        with tables.written_in_parts(folder / "pulls.parquet") as add:
            for number, entry in enumerate(self.entries):
                of_entry, label = [task for task in planned if task.arguments[0].number == number], entry.label
                shares, regrets = [], []
                for part, seconds in map(shards.read, of_entry):
                    rows = simulation_tables.pulls(label, part)
                    add(rows)
                    shares.append(part.optimal_pulls)
                    if len(self.entries) > 1:
                        regrets.append(final_regret(rows)[label])
                    timings.append((label, part.first, part.runs, part.runs * self.horizon, seconds))
                if regrets:
                    finals[label] = pd.concat(regrets)
                for played in shards.columns(of_entry):
                    curves.append(simulation_tables.curves(label, played))
                summary.append(
                    simulation_tables.summary(label, entry.policy, self.arms, played, np.concatenate(shares))
                )
        self.compare(pd.DataFrame(finals), folder)
        tables.write(pd.concat(curves, ignore_index=True), folder / "curves.parquet")
        times = pd.DataFrame(timings, columns=["policy", "first_run", "runs", "steps", "seconds"])
        tables.write(times, folder / "timings.parquet")
        tables.write(pd.concat(summary, ignore_index=True), folder / "summary.csv")
        write_log(self.arms, folder)
        arms, note = describe_arms(self.arms), note_of(self.arms)
        return {
            "seed": self.seed,
            "timings": {"playing": round(float(times["seconds"].sum()), 3)},
            "arms": arms,
            "note": note,
            "beyond_theory": self._beyond_theory,
        }

    def compare(self, finals: pd.DataFrame, folder: Path) -> None:
        """Write the differences between policies, from the final regret of each replication."""
