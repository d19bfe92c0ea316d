"""The leaderboard: the configuration, a task for each part of a policy on a problem, and the tables."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bandits import Custom, Policy
from bandits.simulate import check_pair, prepare, replicate
from experiments.engine import console as report
from experiments.engine.executors import Executor
from experiments.engine.experiment import SHARDS, Experiment, group, list_of
from experiments.engine.families import EXECUTOR, POLICY, Entry, entries
from experiments.engine.tasks import Task
from experiments.leaderboard import console, figures
from experiments.leaderboard.problems import PROBLEMS, Problem
from experiments.leaderboard.tables import by_problem, overall
from numerics.output import tables
from numerics.parameters import must_be_one_of, parameter

_STEPS = 5_000_000  # of a task, about


def _all_or_some(nodes: Sequence[Any], key: str = "bandits") -> list[Entry]:
    """Build the policies of a list, every policy with its defaults where the list is empty."""
    return entries(nodes or sorted(name for name, cls in Policy.members.items() if cls is not Custom), key)


_POLICIES = dataclasses.replace(POLICY, build_list=_all_or_some)


class Leaderboard(Experiment, name="leaderboard"):
    """All policies on a fixed set of problems: regret over the best policy's, and ranks with intervals."""

    bandits: Sequence[Entry] = list_of(_POLICIES)
    executor: Executor = group(EXECUTOR)
    problems: list[str] = parameter([], help="names of some of the problems; all when left out")
    runs: int = parameter(1_000, low=2, most=1_000_000, help="replications of each policy on each problem")
    seed: int = parameter(0, low=0, help="decides all random numbers")

    unit = "million pulls"
    summary = "leaderboard.csv"
    figures = staticmethod(figures.draw)
    console = staticmethod(console.say_results)

    @property
    def chosen(self) -> list[Problem]:
        """The problems, in their own order."""
        return [one for one in PROBLEMS if not self.problems or one.name in self.problems]

    def prepare(self) -> None:
        for place, name in enumerate(self.problems):
            if name not in [one.name for one in PROBLEMS]:
                raise ValueError(must_be_one_of(f"problems[{place}]", name, [one.name for one in PROBLEMS]))
        for one in self.bandits:
            for problem in self._played(one):
                prepare(one.policy, problem.arms, problem.horizon)

    def announce(self) -> None:
        report.say(f"{len(self.bandits)} policies, {self.runs:,} replications of most problems:")
        for one in self.chosen:
            report.say(f"  {one.name}: {one.arms.describe()}; {one.horizon:,} pulls")

    def _played(self, one: Entry) -> list[Problem]:
        """Return the problems that a policy can play."""
        return [problem for problem in self.chosen if _can(one.policy, problem)]

    def tasks(self, folder: Path) -> list[Task]:
        found = []
        for place, one in enumerate(self.bandits):
            for problem in self._played(one):
                runs = self._runs(problem)
                size = max(1, _STEPS // problem.horizon)
                for first in range(0, runs, size):
                    own = min(size, runs - first)
                    name = f"policy{place:03d}_{problem.name.replace(' ', '_')}_run{first:07d}.parquet"
                    what = (one.policy, problem, self.seed, first, own)
                    found.append(Task(folder / SHARDS / name, play, what, max(1, own * problem.horizon // 1_000_000)))
        return found

    def _runs(self, problem: Problem) -> int:
        return max(2, round(self.runs * problem.share))

    def tables(self, folder: Path) -> dict[str, Any]:
        import pandas as pd

        labels = {repr(one.policy): one.label for one in self.bandits}
        regrets: dict[str, dict[str, Any]] = {problem.name: {} for problem in self.chosen}
        times = []
        for task in self.tasks(folder):
            policy, problem, _, _, runs = task.arguments
            part, label = tables.read(task.path), labels[repr(policy)]
            regrets[problem.name].setdefault(label, []).append(part["regret"].to_numpy(np.float64))
            times.append((label, problem.name, runs * problem.horizon, float(part["seconds"].iloc[0])))
        joined = {
            name: {label: np.concatenate(parts) for label, parts in own.items()} for name, own in regrets.items() if own
        }
        formulas = {one.label: one.policy.formula for one in self.bandits}
        problems = by_problem(joined, formulas, self.seed)
        board = overall(problems, joined, self.seed)
        board.insert(1, "formula", board["policy"].map(formulas))
        tables.write(problems, folder / "problems.csv")
        tables.write(board, folder / "leaderboard.csv")
        timings = pd.DataFrame(times, columns=["policy", "problem", "steps", "seconds"])
        tables.write(timings, folder / "timings.parquet")
        return {"seed": self.seed, "timings": {"playing": round(float(timings["seconds"].sum()), 3)}, "runs": self.runs}


def _can(policy: Policy, problem: Problem) -> bool:
    """Return whether a policy can play a problem: some are defined for rewards in [0, 1] only."""
    try:
        check_pair(policy, problem.arms, problem.horizon)
    except ValueError:
        return False
    return True


def play(path: Path, policy: Policy, problem: Problem, seed: int, first: int, runs: int) -> None:
    """Play some replications, and store the final pseudo-regret of each and the seconds that they took."""
    import pandas as pd

    began = time.perf_counter()
    last = np.array([problem.horizon], dtype=np.int64)
    played = replicate(policy, problem.arms, problem.horizon, last, seed, first, runs)
    seconds = time.perf_counter() - began
    tables.write(pd.DataFrame({"regret": played.pseudo_regret[:, 0], "seconds": seconds}), path)
