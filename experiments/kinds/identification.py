"""Best-arm identification: how many pulls it takes to be sure of the best arm, and how often the arm is wrong."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits import Arms, Policy, characteristic_time
from bandits.identification.characteristic import FAMILIES
from bandits.identification.play import MOST, Stopped, check_stopped, until_stopped
from bandits.simulate import MOST_RUNS
from bandits.stopping.base import Stopping
from experiments.engine.executors import Executor
from experiments.engine.experiment import SHARDS, Experiment, group, list_of
from experiments.engine.families import ARMS, EXECUTOR, POLICY, STOPPING, LabelledPolicy
from experiments.engine.printing import say
from experiments.engine.tasks import Task
from experiments.replications.arms import describe_arms, say_problem
from numerics.output import tables
from numerics.output.cells import ends_text
from numerics.output.figures import Caption, Facts, Figure
from numerics.output.sheets import Column, Sheet, interval, margin, number, share, word
from numerics.output.style import line_colour, plain
from numerics.parameters import parameter
from numerics.statistics.intervals import clopper_pearson
from numerics.statistics.means import METHOD, interval_of, standard_error

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_PULLS = 20_000_000  # of a task, if its rule stops after a tenth of the cap


def _is_right(facts: Facts) -> str:
    epsilon = facts["epsilon"]
    return "the best arm" if not epsilon else f"an arm within {epsilon:g} of the best"


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    runs, bound = f"{frame['runs'].iloc[0]:,} replications", facts["bound"]
    wrong = f"wrong: not {_is_right(facts)}, with Clopper and Pearson's interval"
    if frame["met_cap"].min() == 1.0:
        return f"{runs} of {facts['most']:,} pulls; {wrong}"
    least = f"; no rule of this delta needs fewer than {bound:,.0f} pulls on average" if bound else ""
    return (
        f"{runs}, stopped by {facts['stopping']}, at the latest after {facts['most']:,} pulls{least}; mean pulls with "
        f"their 95 % interval ({METHOD}); {wrong}"
    )


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    fixed = frame["met_cap"].min() == 1.0
    over = [number("over the bound", "over_bound", ".2f")] if facts["bound"] else []
    stopped = [
        margin("pulls", "pulls", ",.0f"),
        *over,
        Column("5 to 95 %", lambda row: ends_text(row["pulls_q05"], row["pulls_q95"], ",.0f"), "pulls_q05", optional=1),
        share("met the cap", "met_cap", optional=2),
    ]
    return [
        word("policy"),
        word("formula", optional=3),
        *([] if fixed else stopped),
        interval("wrong, %", "wrong", ".2f", 100),
        number("simple regret", "simple_regret_mean", ".5f", optional=2),
    ]


SUMMARY = Sheet(
    "summary.csv",
    _title,
    _columns,
    read=lambda folder, facts: tables.read(folder / "summary.csv").sort_values(["pulls_mean", "wrong"], kind="stable"),
)


def caveats(folder: Path, facts: Mapping[str, Any]) -> list[str]:
    """Return what a reader must know: rules that prove nothing, replications that were cut."""
    summary = tables.read(folder / "summary.csv")
    sentences = []
    if not facts["proved"] and facts["delta"]:
        sentences.append(
            f"{facts['stopping']} is not proved: that errors stay below {facts['delta']:g} here is an observation."
        )
    cut = summary[(summary["met_cap"] > 0.0) & bool(facts["delta"])]
    if len(cut):
        sentences.append(
            f"{', '.join(cut['policy'])}: some replications met the cap of {facts['most']:,} pulls, so the mean is too "
            "low, and their arm is a guess."
        )
    return sentences


def draw_pulls(stops: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw for each policy the share of replications that have stopped, against pulls on a logarithmic axis."""
    labels = list(dict.fromkeys(stops["policy"]))
    for index, label in enumerate(labels):
        of = stops[stops["policy"] == label]
        ended = np.sort(of["pulls"][of["sure"] == 1].to_numpy(np.float64))
        axes.step(
            np.concatenate([ended[:1], ended]),
            np.arange(ended.size + 1) / len(of),
            where="post",
            color=line_colour(index),
            linewidth=1.6,
            label=label,
        )
    axes.set_xscale("log")
    axes.set_ylim(0.0, 1.02)
    axes.set_xlabel("pulls")
    axes.set_ylabel("share of replications that have stopped")
    caption = f"{len(stops) // len(labels):,} replications a policy, stopped by {facts['stopping']}"
    if facts["bound"]:
        axes.axvline(facts["bound"], color="0.35", linewidth=1.0, linestyle="--", label="lower bound of the mean")
        caption += "; dashed: no rule of this delta has a lower mean (Garivier and Kaufmann 2016, theorem 1)"
    plain(axes)
    axes.legend(loc="lower right")
    return Caption(caption, f"Pulls until sure: {facts['arms'].get('title', '')}")


def draw_shares(shares: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw for each arm the share of pulls that each policy gives it, beside the shares of the bound."""
    labels, arms = list(dict.fromkeys(shares["policy"])), int(shares["arm"].max()) + 1
    width = 0.8 / len(labels)
    for index, label in enumerate(labels):
        of = shares[shares["policy"] == label]
        at = of["arm"].to_numpy(np.float64) - 0.4 + (index + 0.5) * width
        axes.bar(at, of["share"], 0.9 * width, color=line_colour(index), label=label)
    caption = "bars: mean share of a replication's pulls"
    if facts["bound"]:
        best = shares[shares["policy"] == labels[0]]
        for arm, weight in zip(best["arm"], best["optimal"], strict=True):
            axes.hlines(weight, arm - 0.45, arm + 0.45, color="black", linewidth=1.4)
        caption += "; black lines: the shares with which the lower bound is reached, w*"
    axes.set_xticks(range(arms), facts["names"])
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("arm")
    axes.set_ylabel("share of pulls")
    plain(axes, grid="y")
    axes.legend(loc="best")
    return Caption(caption, f"Where the pulls go: {facts['arms'].get('title', '')}")


class Identification(Experiment, name="identification"):
    """Pulls until a stopping rule is sure which arm is the best, and how often that arm is wrong."""

    bandits: Sequence[LabelledPolicy] = list_of(POLICY)
    arms: Arms = group(ARMS)
    stopping: Stopping = group(STOPPING)
    executor: Executor = group(EXECUTOR)
    most: int = parameter(1_000_000, low=2, most=MOST, help="pulls after which a replication ends without being sure")
    runs: int = parameter(1_000, low=2, most=MOST_RUNS, help="replications of each policy")
    seed: int = parameter(0, low=0, help="decides all random numbers")

    unit = "replications"
    figures = (
        Figure(
            "pulls",
            "stops.parquet",
            draw_pulls,
            size=(7.6, 4.6),
            when=lambda stops, facts: bool((stops["sure"] == 1).any()),
        ),
        Figure(
            "shares", "shares.csv", draw_shares, size=(7.6, 4.2), when=lambda shares, facts: shares["arm"].max() < 20
        ),
    )
    sheets = (SUMMARY,)
    caveats = staticmethod(caveats)

    def prepare(self) -> None:
        if self.arms.fixed_means is None:
            raise ValueError(f"arms must have fixed means, of which one is the best; got {self.arms.describe()}")
        for entry in self.bandits:
            entry.probe((self.arms,), self.most)
            check_stopped(entry.policy, self.arms, self.stopping, self.most)
        for entry in self.bandits:
            until_stopped(entry.policy, self.arms, self.stopping, self.arms.count, self.seed, 0, 1)  # compiles once

    def announce(self) -> None:
        say_problem(self.arms)
        who = ", ".join(entry.label for entry in self.bandits)
        say(f"{who}: {self.runs:,} replications, stopped by {self.stopping}, at the latest after {self.most:,} pulls")

    def tasks(self, folder: Path) -> list[Task]:
        size = max(1, min(self.runs, 10 * _PULLS // self.most))
        return [
            Task(
                folder / SHARDS / f"policy{index:03d}_run{first:09d}.parquet",
                play,
                (entry.policy, self.arms, self.stopping, self.most, self.seed, first, min(size, self.runs - first)),
                min(size, self.runs - first),
            )
            for index, entry in enumerate(self.bandits)
            for first in range(0, self.runs, size)
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
            frame = tables.joined([tables.read(task.path) for task in planned if task.path.name.startswith(named)])
            counts = frame[[f"arm_{arm}" for arm in range(self.arms.count)]].to_numpy(np.float64)
            pulls, regret = counts.sum(axis=1), means.max() - means[frame["arm"]]
            seconds += float(frame["seconds"].drop_duplicates().sum())
            kept = frame[["run", "arm", "sure"]].assign(pulls=pulls.astype(np.int64))
            kept.insert(0, "policy", entry.label)
            stops.append(kept)
            part = {"policy": entry.label, "arm": np.arange(means.size), "mean": means}
            part |= {"share": (counts / pulls[:, None]).mean(axis=0)}
            shares.append(tables.of(part | {"optimal": math.nan if known is None else known.weights}))
            summary.append(_summary(entry.label, entry.policy, pulls, regret, kept["sure"], epsilon, bound))
        tables.write(tables.joined(stops), folder / "stops.parquet")
        tables.write(tables.joined(shares), folder / "shares.csv")
        tables.write(tables.of(summary), folder / "summary.csv")
        return {
            "seed": self.seed,
            "timings": {"playing": round(seconds, 3)},
            "arms": describe_arms(self.arms),
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
    q05, q50, q95 = np.quantile(pulls, [0.05, 0.5, 0.95])
    return {
        "policy": label,
        "formula": policy.formula,
        "runs": pulls.size,
        "pulls_mean": pulls.mean(),
        "pulls_low": float(low),
        "pulls_high": float(high),
        "pulls_q05": q05,
        "pulls_q50": q50,
        "pulls_q95": q95,
        "over_bound": pulls.mean() / bound,
        "met_cap": 1.0 - float(sure.mean()),
        "wrong": wrong / pulls.size,
        "wrong_low": float(wrong_low),
        "wrong_high": float(wrong_high),
        "simple_regret_mean": regret.mean(),
        "simple_regret_se": float(standard_error(regret)),
    }


def play(path: Path, policy: Policy, arms: Arms, rule: Stopping, most: int, seed: int, first: int, runs: int) -> None:
    """Play some replications and write a row for each."""
    start = time.perf_counter()
    ended: Stopped = until_stopped(policy, arms, rule, most, seed, first, runs)
    columns = {"run": np.arange(first, first + runs), "arm": ended.arm, "sure": ended.sure.astype(np.int64)}
    columns |= {f"arm_{arm}": ended.pulls[:, arm] for arm in range(arms.count)}
    tables.write(tables.of(columns | {"seconds": np.full(runs, time.perf_counter() - start)}), path)
