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
from experiments.replications.arms import (
    LOG,
    beyond_theory,
    describe_arms,
    note_of,
    on_few_rows,
    proved_regret,
    say_problem,
    similar_names,
    write_log,
)
from experiments.replications.regret_sweep import SWEEP
from numerics.output import tables
from numerics.output.figures import Figure, reader_of
from numerics.output.progress import duration
from numerics.parameters import parameter
from numerics.statistics.means import FEWEST, SKEWED

if TYPE_CHECKING:
    import pandas as pd

_NAMED = 4  # policies in a sentence
_FASTEST = 300e6  # pulls a second of a core, hardly reached by UCB1, so that the time is a lower bound
_DAY = 86_400.0  # seconds


def caveats(folder: Path, facts: Mapping[str, Any]) -> list[str]:
    """Return the caveats of a run of regret: few replications, a line that is not a bound, means from a log."""
    summary = tables.read(folder / "summary.csv")
    rare = summary["pseudo_regret_bound"].notna()
    sentences = _of_rare(summary[rare]) + _of_skewed(summary[~rare])
    if summary["lai_robbins_constant"].notna().any():
        sentences.append("The Lai-Robbins line is a slope for large t; it bounds nothing at the horizon shown.")
    arms = facts.get("arms", {})
    sentences += [caveat for caveat in (arms.get("no_bound"), facts.get("beyond_theory")) if caveat]
    sentences += facts.get("proved", [])
    if (folder / LOG).exists():
        sentences.append(
            "The means are estimates from a log, and the run takes them for the truth, to show how fast a policy would "
            "learn. How sure the log is of its best arm is said by the intervals of its means."
        )
        if few := on_few_rows(tables.read(folder / LOG)):
            sentences.append(few)
        if same := similar_names(str(name) for name in arms.get("names", [])):
            more = f", and {len(same) - 1} more of the kind" if len(same) > 1 else ""
            sentences.append(f"Different arms of the log have names that are alike: {same[0]}{more}.")
    return sentences


def _of_rare(summary: pd.DataFrame) -> list[str]:
    """Return what the intervals of policies reckon with that can stop trying the best arm."""
    sentences = []
    for endless, of in summary.groupby(np.isinf(summary["pseudo_regret_bound"]), sort=True):
        named, they = _name_policies(of["policy"]), "a replication of it" if len(of) == 1 else "a replication of them"
        sentences.append(
            f"{named}: rarely, {they} may stay with a worse arm for ever, "
            + (
                "and gaps of these arms have no largest value: no interval of the mean regret has an upper end."
                if endless
                else "so the interval reckons with losses of up to the horizon times the largest gap that no "
                "replication shows; more replications narrow it."
            )
        )
    return sentences


def _of_skewed(summary: pd.DataFrame) -> list[str]:
    """Return the caveats of the other intervals: too few replications, or too skewed ones."""
    if summary.empty:
        return []
    runs = int(summary["runs"].min())
    if runs < FEWEST:
        return [
            f"Only {runs} replication{'s' * (runs > 1)}: rare large regrets are not among so few, and the intervals "
            "are too narrow for policies that have them."
        ]
    skewed = summary[summary["pseudo_regret_skewness"].abs() > SKEWED * np.sqrt(summary["runs"])]
    if skewed.empty:
        return []
    return [
        f"The mean regret of {_name_policies(skewed['policy'])} rests on few of its replications: the interval is wide "
        "and may yet be short; more replications narrow it."
    ]


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
        arms = facts.get("arms")
        if not isinstance(arms, Mapping) or not {"names", "estimated", "lai_robbins", "uniform"} <= arms.keys():
            raise ValueError(f"{folder / 'manifest.json'} does not say what the arms are; run the experiment again")
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
        say_problem(self.arms)
        each = " by each policy" if len(self.entries) > 1 else ""
        who = ", ".join(entry.label for entry in self.entries)
        if self.delivery != AT_ONCE:
            say(self.delivery.formula)
        say(f"{who}: {self.runs:,} replication{'s' * (self.runs > 1)} of {self.horizon:,} pulls{each}")
        pulls = self.runs * self.horizon * len(self.entries)
        if pulls > _FASTEST * _DAY:
            say(
                f"that is {pulls:.3g} pulls: at the {_FASTEST / 1e6:g} million a second that a core makes of the "
                f"fastest policy, {duration(pulls / _FASTEST)} of one core; Ctrl-C stops it"
            )

    def tasks(self, folder: Path) -> list[Task]:
        problem = shards.Setting(self.arms, self.horizon, self.runs, self.seed, self.delivery)
        return shards.plan([entry.policy for entry in self.entries], problem, folder)

    def tables(self, folder: Path) -> dict[str, Any]:
        import pandas as pd

        curves, summary, timings, finals = [], [], [], {}
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
                    finals_of.append(final_regret(rows)[label])
                    timings.append((label, part.first, part.runs, part.runs * self.horizon, seconds))
                finals[label] = pd.concat(finals_of)
                bound = regret_bound(entry.policy, self.arms, self.horizon, finals[label].to_numpy(np.float64))
                largest = self.arms.largest_gap
                for played in shards.columns(of_entry):
                    curves.append(summaries.curves(label, played, bound / self.horizon, largest))
                summary.append(
                    summaries.summary(
                        label, entry.policy, self.arms, played, np.concatenate(shares) if shares else None, bound
                    )
                )
        self.compare(pd.DataFrame(finals), folder)
        tables.write(pd.concat(curves, ignore_index=True), folder / "curves.parquet")
        times = pd.DataFrame(timings, columns=["policy", "first_run", "runs", "steps", "seconds"])
        tables.write(times, folder / "timings.parquet")
        tables.write(pd.concat(summary, ignore_index=True), folder / "summary.csv")
        write_log(self.arms, folder)
        arms, note = describe_arms(self.arms), note_of(self.arms)
        policies = {entry.label: entry.policy for entry in self.entries}
        return {
            "seed": self.seed,
            "timings": {"playing": round(float(times["seconds"].sum()), 3)},
            "arms": arms,
            "note": note,
            "delivery": self.delivery.title,
            "beyond_theory": beyond_theory(policies, self.arms),
            "proved": proved_regret(policies, self.arms, self.horizon) if self.delivery == AT_ONCE else [],
        }

    def compare(self, finals: pd.DataFrame, folder: Path) -> None:
        """Write the differences between policies, from the final regret of each replication."""
