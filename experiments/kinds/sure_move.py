"""Random trees whose leaves are coins: how many samples it takes to be sure of the best move at the root.

The last experiment of Kaufmann and Koolen, "Monte-Carlo tree search by best arm identification", NeurIPS 2017.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from experiments.engine.executors import Executor
from experiments.engine.experiment import SHARDS, Experiment, group
from experiments.engine.families import EXECUTOR
from experiments.engine.printing import say
from experiments.engine.tasks import Task, parts_of
from mcts.confidence.moves import MOST_SAMPLES, RATES, RULES, identify_branch
from mcts.confidence.trees import MOST_NODES
from numerics.output import plots, tables
from numerics.output.figures import Caption, Facts, Figure
from numerics.output.scales import Scale
from numerics.output.sheets import Column, Sheet, ends_text, interval, margin, number, share, word
from numerics.parameters import must_be_one_of, parameter
from numerics.random import Purpose, derived_seed, streams, unit
from numerics.statistics.intervals import clopper_pearson
from numerics.statistics.means import METHOD, interval_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_PAPER = {"branching": 10, "depth": 3, "delta": 0.1, "epsilon": 0.01, "rate": "paper"}
_PUBLISHED = {"lucb": 141_811, "ugape": 142_953}  # mean samples of 10,000 trees, section 4 of the paper

Floats = npt.NDArray[np.float64]


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    close = f"more than {facts['epsilon']:g} below the best" if facts["epsilon"] else "not the best"
    return (
        f"{facts['trees']:,} trees of branching factor {facts['branching']} and depth {facts['depth']}, "
        f"rate {facts['rate']}, delta = {facts['delta']:g}; samples: mean number of leaf samples "
        "until the search stops, "
        f"with its 95 % interval ({METHOD}); wrong: a move whose value is {close}, with a Clopper-Pearson interval"
    )


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    published = [number("published", "published", ",.0f")] if frame["published"].notna().any() else []
    return [
        word("rule"),
        margin("samples", "samples", ",.0f"),
        *published,
        Column("5 to 95 %", lambda row: ends_text(row["samples_q05"], row["samples_q95"], ",.0f"), "samples_q05"),
        share("reached the cap", "met_cap", optional=1),
        interval("wrong, %", "wrong", ".2f", 100),
    ]


SUMMARY = Sheet("summary.csv", _title, _columns)


def caveats(folder: Path, facts: Mapping[str, Any]) -> list[str]:
    """Return what a reader must know: intervals that are not proved, trees that were cut."""
    summary = tables.read(folder / "summary.csv")
    sentences = []
    if facts["rate"] != "mixture":
        sentences.append(
            f"rate {facts['rate']} has no proved guarantee for these intervals. Error rates below {facts['delta']:g} "
            "are "
            "only observed here."
        )
    cut = summary[summary["met_cap"] > 0.0]
    if len(cut):
        sentences.append(
            f"{', '.join(cut['rule'])}: some trees reached the cap of {facts['most']:,} samples. The mean number of "
            "samples is therefore too low, and their moves have no guarantee."
        )
    return sentences


def draw(stops: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw for each rule the share of trees whose best move is sure, against samples on a logarithmic axis."""
    ends = plots.curves(
        axes,
        plots.ended_shares(stops, "rule", "samples"),
        "samples",
        "share",
        by="rule",
        x_scale=Scale("samples of leaves", log=True),
        y_scale=Scale("share of trees whose best move is sure", log=False, low=0.0, high=1.02),
        look=plots.STEPS,
    )
    shape = f"{facts['branching']} moves a position, {facts['depth']} deep"
    return Caption(
        f"{facts['trees']:,} random trees, {shape}, rate {facts['rate']}", "Samples until a move is sure", ends=ends
    )


class SureMove(Experiment, name="sure_move"):
    """Best-move identification in random trees by LUCB-MCTS and UGapE-MCTS: number of samples and error rate."""

    executor: Executor = group(EXECUTOR)
    rules: list[str] = parameter(list(RULES), help=f"rules to compare: {', '.join(RULES)}")
    branching: int = parameter(10, low=2, most=1_000, help="branching factor of the trees")
    depth: int = parameter(3, low=1, most=20, help="depth of the trees")
    delta: float = parameter(0.1, low=0.0, high=1.0, above=True, below=True, help="probability of a wrong move")
    epsilon: float = parameter(
        0.01, low=0.0, high=1.0, below=True, help="tolerance: a move within epsilon of the best is also correct"
    )
    rate: str = parameter("paper", choices=RATES, help="exploration rate, which sets the width of the intervals")
    most: int = parameter(100_000_000, low=1, most=MOST_SAMPLES, help="maximal number of samples of a tree")
    trees: int = parameter(1_000, low=2, most=1_000_000, help="random trees; means of leaves are uniform on [0, 1]")
    seed: int = parameter(0, low=0, help="random seed")

    unit = "trees"
    figures = (
        Figure(
            "samples",
            "stops.parquet",
            draw,
            size=(7.6, 4.4),
            when=lambda stops, facts: bool((stops["sure"] == 1).any()),
        ),
    )
    sheets = (SUMMARY,)
    caveats = staticmethod(caveats)

    def prepare(self) -> None:
        if not self.rules or len(set(self.rules)) < len(self.rules):
            raise ValueError(f"rules must hold different rules, such as [lucb,ugape]; got {self.rules}")
        for index, rule in enumerate(self.rules):
            if rule not in RULES:
                raise ValueError(must_be_one_of(f"rules[{index}]", rule, RULES))
        if self.branching ** (self.depth + 1) > MOST_NODES:
            raise ValueError(
                f"depth must give a tree of at most {MOST_NODES:,} positions; got {self.depth} with "
                f"branching={self.branching}"
            )
        identify_branch([0.0, 1.0], **self._question(self.rules[0]))  # checks the rest, and compiles once

    def announce(self) -> None:
        say(
            f"{', '.join(self.rules)}: {self.trees:,} random trees of branching factor {self.branching} and depth "
            f"{self.depth}; delta = {self.delta:g}, epsilon = {self.epsilon:g}, rate {self.rate}"
        )

    def tasks(self, folder: Path) -> list[Task]:
        return [
            Task(
                folder / SHARDS / f"{rule}_tree{trees[0]:07d}.parquet",
                sample_trees,
                (self._question(rule), (self.branching,) * self.depth, trees),
                len(trees),
            )
            for rule in self.rules
            for trees in parts_of(self.trees, among=len(self.rules))
        ]

    def _question(self, rule: str) -> dict[str, Any]:
        """Return what `identify_branch` is asked of every tree; its seed is that of the run."""
        names = ("delta", "epsilon", "rate", "most", "seed")
        return {"rule": rule, **{name: getattr(self, name) for name in names}}

    def tables(self, folder: Path) -> dict[str, Any]:
        stops = tables.join_tables([tables.read(task.path) for task in self.tasks(folder)])
        seconds = float(stops.pop("seconds").sum())
        kept = ("branching", "depth", "delta", "epsilon", "rate", "most", "trees", "seed")
        facts = {name: getattr(self, name) for name in kept}
        is_published = {name: facts[name] for name in _PAPER} == _PAPER
        summary = []
        for rule in self.rules:
            of = stops[stops["rule"] == rule]
            samples, wrong = of["samples"].to_numpy(np.float64), int((of["regret"] > self.epsilon).sum())
            low, high = interval_of(samples)
            wrong_low, wrong_high = clopper_pearson(wrong, len(of))
            q05, q50, q95 = np.quantile(samples, [0.05, 0.5, 0.95])
            summary.append(
                {
                    "rule": rule,
                    "samples_mean": samples.mean(),
                    "samples_low": float(low),
                    "samples_high": float(high),
                    "samples_q05": q05,
                    "samples_q50": q50,
                    "samples_q95": q95,
                    "published": _PUBLISHED[rule] if is_published else math.nan,
                    "met_cap": 1.0 - float(of["sure"].mean()),
                    "wrong": wrong / len(of),
                    "wrong_low": float(wrong_low),
                    "wrong_high": float(wrong_high),
                }
            )
        tables.write(stops, folder / "stops.parquet")
        tables.write(tables.table_of(summary), folder / "summary.csv")
        return facts | {"timings": {"sampling": round(seconds, 3)}}


def sample_trees(path: Path, question: Mapping[str, Any], shape: tuple[int, ...], trees: range) -> None:
    """Ask for the best move of some trees, and write a row for each."""
    rows = []
    for tree in trees:
        means, seed = (
            means_of(question["seed"], shape, tree),
            derived_seed(question["seed"], (Purpose.SURE_SEARCH, tree)),
        )
        start = time.perf_counter()
        answer = identify_branch(means, **{**question, "seed": seed})
        seconds, values = time.perf_counter() - start, minimax(means)
        rows.append(
            {
                "rule": question["rule"],
                "tree": tree,
                "samples": answer.samples,
                "sure": int(answer.sure),
                "regret": values.max() - values[answer.best_move],
                "seconds": seconds,
            }
        )
    tables.write(tables.table_of(rows), path)


def means_of(seed: int, shape: tuple[int, ...], tree: int) -> Floats:
    """Return the means of the leaves of a random tree, uniform on [0, 1]."""
    leaves = math.prod(shape)
    return unit(streams(seed, (Purpose.LEAF_MEANS, tree), 0, leaves)[:, 0]).reshape(shape)


def minimax(means: Floats) -> Floats:
    """Return the value of each move of the root, which maximises, float64[K].

    Examples
    --------
    >>> minimax(np.array([[0.7, 0.4], [0.6, 0.8]])).tolist()
    [0.4, 0.6]
    """
    for level in range(means.ndim - 1, 0, -1):
        means = means.min(axis=level) if level % 2 else means.max(axis=level)
    return means
