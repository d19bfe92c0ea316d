"""Policies on one bandit: the configuration, the tasks and the tables that `regret` and `comparison` share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bandits import Arms, summaries
from bandits.bounds import regret_bound
from bandits.delivery.base import Delivery
from bandits.differences import final_regret
from bandits.simulation import AT_ONCE, LONGEST, MOST_RUNS, check_pair, prepare
from experiments.engine.executors import Executor
from experiments.engine.experiment import Experiment, Facts, group
from experiments.engine.families import ARMS, DELIVERY, EXECUTOR, LabelledPolicy
from experiments.engine.printing import say
from experiments.engine.sweep.table import Sweep
from experiments.engine.tasks import Task
from experiments.replications import regret_figures, shards
from experiments.replications.arms import LOG, on_few_rows, problem_of, store_arms
from experiments.replications.regret_sweep import SWEEP
from numerics.output import tables
from numerics.output.figures import Figure, reader_of
from numerics.parameters import parameter
from numerics.statistics.means import FEWEST, SKEWED

if TYPE_CHECKING:
    import pandas as pd

_NAMED = 4  # policies in a sentence


def caveats(folder: Path, facts: Mapping[str, Any]) -> list[str]:
    """Return the caveats of a run of regret: few replications, a line that is not a bound, means from a log."""
    summary, arms = tables.read(folder / "summary.csv"), facts["arms"]
    sentences = _of_intervals(summary)
    if summary["lai_robbins_constant"].notna().any():
        sentences.append("The Lai-Robbins line is an asymptotic slope, not a bound at this horizon.")
    if arms["no_bound"]:
        sentences.append(arms["no_bound"])
    if facts["unproved"]:
        named = " and ".join(facts["unproved"])
        sentences.append(
            f"The guarantees of {named} assume rewards in [0, 1]; these arms have rewards outside this range."
        )
    if arms["estimated"]:
        sentences.append(
            "The arms' means are estimates from a log. The run treats them as exact, to show how fast a policy would "
            "learn. The intervals of the means show how uncertain the best arm is."
        )
        if (folder / LOG).is_file() and (few := on_few_rows(tables.read(folder / LOG))):
            sentences.append(few)
    return sentences


def _of_intervals(summary: pd.DataFrame) -> list[str]:
    """Return what limits the intervals: policies that can stop trying the best arm, few or skewed replications."""
    sentences, bound = [], summary["pseudo_regret_bound"]
    for rare, reason in (
        (
            bound < np.inf,
            "The interval therefore allows for an unobserved regret of up to the horizon times the largest gap. More "
            "replications narrow it",
        ),
        (
            bound == np.inf,
            "The gaps of these arms are unbounded, so the interval of the mean regret has no upper end",
        ),
    ):
        if rare.any():
            named = _name_policies(summary["policy"][rare])
            sentences.append(f"{named}: in rare replications, the policy may lock onto a suboptimal arm. {reason}.")
    others, runs = summary[bound.isna()], int(summary["runs"].min())
    skewed = others["policy"][others["pseudo_regret_skewness"].abs() > SKEWED * np.sqrt(others["runs"])]
    if len(others) and runs < FEWEST:
        sentences.append(
            f"Only {runs} replication{'s' * (runs > 1)}: the intervals are too narrow for policies with rare large "
            f"regrets. At least {FEWEST} are recommended."
        )
    elif len(skewed):
        sentences.append(
            f"The regret of {_name_policies(skewed)} is highly skewed: a few replications dominate the mean. The "
            "interval may still be too narrow. More replications help."
        )
    return sentences


def _name_policies(policies: pd.Series) -> str:
    """Return the names of the first few policies."""
    return ", ".join(policies[:_NAMED]) + f" and {len(policies) - _NAMED} more" * (len(policies) > _NAMED)


class Simulation(Experiment):
    """Policies on one bandit, each for many replications."""

    arms: Arms = group(ARMS)
    delivery: Delivery = group(DELIVERY)
    executor: Executor = group(EXECUTOR)
    horizon: int = parameter(10_000, low=1, most=LONGEST, help="pulls of a replication")
    runs: int = parameter(1_000, low=1, most=MOST_RUNS, help="replications")
    seed: int = parameter(0, low=0, help="decides all random numbers")

    unit = "replications"
    options: ClassVar[tuple[str, ...]] = ("log", "policies")
    figures: ClassVar[Sequence[Figure]] = regret_figures.FIGURES
    caveats: ClassVar[Callable[..., list[str]]] = staticmethod(caveats)
    sweep: ClassVar[Sweep | None] = SWEEP

    @classmethod
    def draw(cls, folder: Path, facts: Facts, **options: Any) -> list[Path]:
        shown = regret_figures.FIGURES if options else cls.figures
        return regret_figures.draw(shown, folder / "figures", reader_of(folder), facts, **options)

    @property
    def entries(self) -> Sequence[LabelledPolicy]:
        """The policies."""
        raise NotImplementedError

    def prepare(self) -> None:
        most = shards.MOST_SHARDS * shards.shard_runs(self.horizon)
        if self.runs > most:
            raise ValueError(f"runs must be at most {most} at horizon {self.horizon}; got {self.runs}")
        self.delivery.check(self.horizon)
        for entry in self.entries:
            entry.probe(self.arms)
            check_pair(entry.policy, self.arms, self.horizon)
        for entry in self.entries:
            prepare(entry.policy, self.arms, self.horizon, self.delivery)  # here, once, and not in every worker

    def announce(self) -> None:
        say(problem_of(self.arms))
        each = " by each policy" if len(self.entries) > 1 else ""
        who = ", ".join(entry.label for entry in self.entries)
        if self.delivery != AT_ONCE:
            say(self.delivery.formula)
        say(f"{who}: {self.runs:,} replication{'s' * (self.runs > 1)} of {self.horizon:,} pulls{each}")

    def tasks(self, folder: Path) -> list[Task]:
        problem = shards.Setting(self.arms, self.horizon, self.runs, self.seed, self.delivery)
        return shards.plan([entry.policy for entry in self.entries], problem, folder)

    def tables(self, folder: Path) -> dict[str, Any]:
        import pandas as pd

        curves, summary, timings = [], [], []
        planned = self.tasks(folder)
        with tables.written_in_parts(folder / "pulls.parquet") as add:
            for number, entry in enumerate(self.entries):
                of_entry, label = [task for task in planned if task.arguments[0].number == number], entry.label
                shares, finals_of = [], []
                for part, seconds in map(shards.read, of_entry):
                    rows = summaries.pulls(label, part)
                    add(rows)
                    if not self.arms.changing:  # else the shares are kept by checkpoint
                        shares.append(part.optimal_pulls)
                    finals_of.append(final_regret(rows)[label].to_numpy(np.float64))
                    timings.append((label, part.first, part.runs, part.runs * self.horizon, seconds))
                bound = regret_bound(entry.policy, self.arms, self.horizon, np.concatenate(finals_of))
                largest = self.arms.largest_gap
                for played in shards.columns(of_entry):
                    curves.append(summaries.curves(label, played, bound / self.horizon, largest))
                summary.append(
                    summaries.summary(
                        label, entry.policy, self.arms, played, np.concatenate(shares) if shares else None, bound
                    )
                )
        tables.write(pd.concat(curves, ignore_index=True), folder / "curves.parquet")
        times = pd.DataFrame(timings, columns=["policy", "first_run", "runs", "steps", "seconds"])
        tables.write(times, folder / "timings.parquet")
        tables.write(pd.concat(summary, ignore_index=True), folder / "summary.csv")
        return {
            "seed": self.seed,
            "timings": {"playing": round(float(times["seconds"].sum()), 3)},
            "arms": store_arms(self.arms, folder),
            "delivery": self.delivery.title,
            "played": ", ".join(filter(None, (self.arms.title, self.delivery.title))),
            "unproved": [
                entry.label for entry in self.entries if entry.policy.unit_theory and not self.arms.unit_rewards
            ],
        }
