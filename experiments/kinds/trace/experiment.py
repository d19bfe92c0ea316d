"""One replication, step by step: the same one that `experiment=regret` plays under this seed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bandits import Arms
from bandits.simulate import LONGEST, MOST_RUNS, check_pair, check_traced
from experiments.engine.executors import Executor
from experiments.engine.executors.serial import Serial
from experiments.engine.experiment import SHARDS, Experiment, group
from experiments.engine.families import ARMS, POLICY, LabelledPolicy
from experiments.engine.tasks import Task
from experiments.kinds.trace import figures, recording, steps
from experiments.kinds.trace.sheets import STEPS, notes
from experiments.page.recordings.bandit import about
from experiments.replications.arms import LOG_SHEET, describe_arms, note_of, say_problem, write_log
from numerics.output import tables
from numerics.parameters import parameter


class Trace(Experiment, name="trace"):
    """One replication, step by step."""

    summary = None

    bandit: LabelledPolicy = group(POLICY)
    arms: Arms = group(ARMS)
    horizon: int = parameter(40, low=1, most=LONGEST, help="pulls")
    run: int = parameter(0, low=0, most=MOST_RUNS, help="number of the replication")
    seed: int = parameter(0, low=0, help="decides all random numbers")
    rows: int = parameter(60, low=1, help="steps that are printed, the first and the last ones")

    figures = figures.FIGURES
    sheets = (STEPS, LOG_SHEET)
    notes = staticmethod(notes)
    embedded = staticmethod(recording.embedded)

    def prepare(self) -> None:
        self.bandit.probe((self.arms,), self.horizon)
        check_pair(self.bandit.policy, self.arms, self.horizon)
        check_traced(self.arms, self.horizon)

    def announce(self) -> None:
        say_problem(self.arms)

    def tasks(self, folder: Path) -> list[Task]:
        what = (self.bandit.policy, self.arms, self.horizon, self.seed, self.run)
        return [Task(folder / SHARDS / "steps.parquet", steps.play, what)]

    @property
    def executor_used(self) -> Executor:
        return Serial()

    def tables(self, folder: Path) -> dict[str, Any]:
        (task,) = self.tasks(folder)
        table = tables.read(task.path)
        tables.write(table, folder / "steps.parquet")
        tables.write(table, folder / "steps.csv")
        write_log(self.arms, folder)
        policy = f"{self.bandit.label}: {self.bandit.policy.formula}"
        return {
            "seed": self.seed,
            "timings": {},
            "arms": describe_arms(self.arms),
            "note": note_of(self.arms),
            "means": self.arms.draw_means(self.seed, self.run, 1)[0].tolist(),
            "policy": policy,
            "run": self.run,
            "rule": about(self.bandit.policy),
            "law": type(self.arms).__name__,
            "rows": self.rows,
            "title": f"{policy}; replication {self.run}, seed {self.seed}",
        }
