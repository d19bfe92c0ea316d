"""Best-arm identification: how many pulls it takes to be sure of the best arm, and how often the arm is wrong."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bandits import Arms, Policy, characteristic_time
from bandits.identification.characteristic import FAMILIES
from bandits.identification.play import MOST, Stopped, check_stopped, until_stopped
from bandits.simulation import MOST_RUNS
from bandits.stopping.base import Stopping
from experiments.engine.executors import Executor
from experiments.engine.experiment import SHARDS, Experiment, group, list_of
from experiments.engine.families import ARMS, EXECUTOR, POLICY, STOPPING, LabelledPolicy
from experiments.engine.printing import say
from experiments.engine.tasks import Task, parts_of
from experiments.kinds.identification.stopping_figures import FIGURES
from experiments.kinds.identification.stopping_sheets import SUMMARY, SWEEP, caveats
from experiments.replications.arms import problem_of, store_arms
from numerics.output import tables
from numerics.parameters import parameter
from numerics.statistics.intervals import clopper_pearson, quantile_interval
from numerics.statistics.means import interval_of, standard_error

_PULLS = 20_000_000  # of a task, if its rule stops after a tenth of the cap


class Identification(Experiment, name="identification"):
    """Pulls until a stopping rule is sure which arm is the best, and how often that arm is wrong."""

    bandits: Sequence[LabelledPolicy] = list_of(POLICY)
    arms: Arms = group(ARMS)
    stopping: Stopping = group(STOPPING)
    executor: Executor = group(EXECUTOR)
    most: int = parameter(1_000_000, low=2, most=MOST, help="maximal number of pulls of a replication")
    runs: int = parameter(1_000, low=2, most=MOST_RUNS, help="replications of each policy")
    seed: int = parameter(0, low=0, help="decides all random numbers")

    unit = "replications"
    figures = FIGURES
    sheets = (SUMMARY,)
    caveats = staticmethod(caveats)
    sweep = SWEEP

    def prepare(self) -> None:
        if self.arms.fixed_means is None:  # drawn, or changing
            raise ValueError(f"arms must have fixed means with a unique best arm; got {self.arms.describe()}")
        for index, entry in enumerate(self.bandits):
            entry.probe(self.arms)
            check_stopped(entry.policy, self.arms, self.stopping, self.most, f"bandits[{index}]")
        for entry in self.bandits:
            until_stopped(entry.policy, self.arms, self.stopping, self.arms.count, self.seed, 0, 1)  # compiles once

    def announce(self) -> None:
        say(problem_of(self.arms))
        who = ", ".join(entry.label for entry in self.bandits)
        say(f"{who}: {self.runs:,} replications, stopped by {self.stopping}, cap {self.most:,} pulls")

    def tasks(self, folder: Path) -> list[Task]:
        size = max(1, 10 * _PULLS // self.most)
        return [
            Task(
                folder / SHARDS / f"policy{index:03d}_run{part[0]:09d}.parquet",
                play_until_sure,
                (entry.policy, self.arms, self.stopping, self.most, self.seed, part[0], len(part)),
                len(part),
            )
            for index, entry in enumerate(self.bandits)
            for part in parts_of(self.runs, size)
        ]

    def tables(self, folder: Path) -> dict[str, Any]:
        known = characteristic_time(self.arms) if self.arms.reward_law in FAMILIES else None
        delta, epsilon = self.stopping.aim
        bound = known.pulls(delta) if known is not None and delta and not epsilon else math.nan
        bound = bound if 0.0 < bound < math.inf else math.nan
        planned, stops, shares, summary, seconds = self.tasks(folder), [], [], [], 0.0
        means = np.asarray(self.arms.fixed_means)
        for index, entry in enumerate(self.bandits):
            named = f"policy{index:03d}_"
            frame = tables.join_tables([tables.read(task.path) for task in planned if task.path.name.startswith(named)])
            counts = frame[[f"arm_{arm}" for arm in range(self.arms.count)]].to_numpy(np.float64)
            pulls, regret = counts.sum(axis=1), means.max() - means[frame["arm"]]
            seconds += float(frame["seconds"].drop_duplicates().sum())
            kept = frame[["run", "arm", "sure"]].assign(pulls=pulls.astype(np.int64))
            kept.insert(0, "policy", entry.label)
            stops.append(kept)
            part = {"policy": entry.label, "arm": np.arange(means.size), "mean": means}
            part |= {"share": (counts / pulls[:, None]).mean(axis=0)}
            shares.append(tables.table_of(part | {"optimal": math.nan if known is None else known.weights}))
            summary.append(_summary(entry.label, entry.policy, pulls, regret, kept["sure"], epsilon, bound))
        tables.write(tables.join_tables(stops), folder / "stops.parquet")
        tables.write(tables.join_tables(shares), folder / "shares.csv")
        tables.write(tables.table_of(summary), folder / "summary.csv")
        return {
            "seed": self.seed,
            "timings": {"playing": round(seconds, 3)},
            "arms": store_arms(self.arms, folder),
            "names": list(self.arms.names),
            "stopping": str(self.stopping),
            "proved": self.stopping.proved,
            "delta": delta,
            "epsilon": epsilon,
            "most": self.most,
            "bound": None if math.isnan(bound) else bound,
        }


def _summary(
    label: str, policy: Policy, pulls: Any, regret: Any, sure: Any, epsilon: float, bound: float
) -> dict[str, Any]:
    """Return a policy's row of the summary."""
    low, high = interval_of(pulls)
    wrong = int((regret > epsilon).sum())
    wrong_low, wrong_high = clopper_pearson(wrong, pulls.size)
    (q05, *_), median, late = (quantile_interval(pulls, share) for share in (0.05, 0.5, 0.95))
    return {
        "policy": label,
        "formula": policy.formula,
        "runs": pulls.size,
        "pulls_mean": pulls.mean(),
        "pulls_low": float(low),
        "pulls_high": float(high),
        "pulls_q05": q05,
        **dict(zip(("pulls_q50", "pulls_q50_low", "pulls_q50_high"), median, strict=True)),
        **dict(zip(("pulls_q95", "pulls_q95_low", "pulls_q95_high"), late, strict=True)),
        "over_bound": pulls.mean() / bound,
        "met_cap": 1.0 - float(sure.mean()),
        "wrong": wrong / pulls.size,
        "wrong_low": float(wrong_low),
        "wrong_high": float(wrong_high),
        "simple_regret_mean": regret.mean(),
        "simple_regret_se": float(standard_error(regret)),
    }


def play_until_sure(
    path: Path, policy: Policy, arms: Arms, rule: Stopping, most: int, seed: int, first: int, runs: int
) -> None:
    """Play some replications and write a row for each."""
    start = time.perf_counter()
    ended: Stopped = until_stopped(policy, arms, rule, most, seed, first, runs)
    columns = {"run": np.arange(first, first + runs), "arm": ended.arm, "sure": ended.sure.astype(np.int64)}
    columns |= {f"arm_{arm}": ended.pulls[:, arm] for arm in range(arms.count)}
    tables.write(tables.table_of(columns | {"seconds": np.full(runs, time.perf_counter() - start)}), path)
