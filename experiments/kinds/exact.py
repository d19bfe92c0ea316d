"""Expected regret of policies on two or three Bernoulli arms, computed to the last digits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bandits import Arms, Bernoulli
from bandits.arms.bernoulli import RandomBernoulli
from bandits.exact.moments import (
    at_means,
    over_prior,
    recommendation_at_means,
    recommendation_over_prior,
)
from bandits.exact.states import check, layers
from experiments.engine import printing
from experiments.engine.executors import Executor
from experiments.engine.experiment import SHARDS, Experiment, group, list_of
from experiments.engine.families import ARMS, EXECUTOR, POLICY, LabelledPolicy
from experiments.engine.tasks import Task
from experiments.replications.arms import store_arms
from numerics.output import plots, tables
from numerics.output.figures import Caption, Facts, Figure
from numerics.output.scales import Scale
from numerics.output.sheets import Sheet, number, word
from numerics.parameters import parameter

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


EXPECTED = Sheet(
    "exact.csv",
    lambda frame, facts: f"after {frame['horizon'].iloc[0]:,} pulls, computed without simulation; all digits are exact",
    (
        word("policy"),
        number("mean regret", "regret_mean", ".6f"),
        number("std. dev. of regret", "regret_sd", ".6f", optional=1),
        number("mean gain", "gain_mean", ".6f"),
        number("std. dev. of gain", "gain_sd", ".6f", optional=3),
        number("best arm most pulled", "best_arm_most_pulled", ".6f"),
        number("wrong arm", "wrong", ".6f", optional=2),
        number("simple regret", "simple_regret", ".6f", optional=4),
    ),
    read=lambda folder, facts: tables.read(folder / "exact.csv").sort_values("regret_mean"),
)


def draw_curves(curves: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw one line a policy: expected regret against pulls."""
    horizon = int(curves["horizon"].max())
    ends = plots.curves(
        axes,
        curves,
        "horizon",
        "regret_mean",
        by="policy",
        x_scale=Scale("pulls t", log=False, low=0.0, high=horizon),
        y_scale=Scale("expected regret"),
        look={"marker": "", "linewidth": 1.6},
    )
    return Caption(
        "computed by dynamic programming, no simulation", f"Exact regret: {facts['arms']['title']}", ends=ends
    )


POINTS = 100  # of a curve: at every pull up to here, and at fewer beyond, where each costs more
FEWER = 40


class Exact(Experiment, name="exact"):
    """Expected regret of policies on two or three Bernoulli arms, computed instead of simulated."""

    bandits: Sequence[LabelledPolicy] = list_of(POLICY)
    arms: Arms = group(ARMS)
    executor: Executor = group(EXECUTOR)
    horizon: int = parameter(60, low=1, high=1_000, help="number of pulls; at most 100 with three arms")

    unit = "policies"
    summary: ClassVar[str | None] = "exact.csv"
    figures = (Figure("exact", "curves.csv", draw_curves, size=(7.6, 4.6)),)
    sheets = (EXPECTED,)

    def prepare(self) -> None:
        if not isinstance(self.arms, Bernoulli | RandomBernoulli):
            raise ValueError(
                "arms must be Bernoulli arms, such as arms=bernoulli_10 arms.means=[0.3,0.5], or arms=random_means "
                f"arms.arms=2; got {self.arms.describe()}"
            )
        if isinstance(self.arms, RandomBernoulli) and self.arms.count != 2:
            raise ValueError(f"arms.arms must be 2 for exact Bayesian regret; got {self.arms.count}")
        for index, entry in enumerate(self.bandits):
            try:
                check(entry.policy, self.arms.count, self.horizon)
            except ValueError as error:
                raise ValueError(f"bandits[{index}]: {error}") from None

    def announce(self) -> None:
        labels = ", ".join(entry.label for entry in self.bandits)
        printing.say(f"{self.arms.describe()}\n{labels}: {self.horizon:,} pulls, computed exactly")

    def tasks(self, folder: Path) -> list[Task]:
        return [
            Task(folder / SHARDS / f"{index:03d}.csv", expect, (entry.label, entry.policy, self.arms, self.horizon))
            for index, entry in enumerate(self.bandits)
        ]

    def tables(self, folder: Path) -> dict[str, Any]:
        curves = tables.join_tables([tables.read(task.path) for task in self.tasks(folder)])
        tables.write(curves, folder / "curves.csv")
        last = curves[curves["horizon"] == self.horizon]
        formulas = {entry.label: entry.policy.formula for entry in self.bandits}
        last.insert(1, "formula", last["policy"].map(formulas))
        tables.write(last.reset_index(drop=True), folder / "exact.csv")
        return {
            "seed": None,
            "timings": {},
            "arms": store_arms(self.arms, folder),
        }


def points(horizon: int) -> list[int]:
    """Return the numbers of pulls of a curve's points, which include the last.

    Examples
    --------
    >>> points(5), len(points(1_000))
    ([1, 2, 3, 4, 5], 40)
    """
    count = horizon if horizon <= POINTS else FEWER
    return sorted({int(step) for step in np.linspace(1, horizon, count).round()})


def expect(path: Path, label: str, policy: Any, arms: Bernoulli | RandomBernoulli, horizon: int) -> None:
    """Compute and write the expected regret of one policy at some numbers of pulls.

    A policy that reads the horizon is that of the whole horizon at every one of them.
    """
    wanted = set(points(horizon))
    rows = []
    for t, layer in enumerate(layers(policy, arms.count, horizon), start=1):
        if t in wanted:
            if isinstance(arms, Bernoulli):
                moments, named = at_means(layer, arms.means), recommendation_at_means(layer, policy, arms.means)
            else:
                moments = over_prior(layer, arms.a, arms.b)
                named = recommendation_over_prior(layer, policy, arms.a, arms.b)
            rows.append({"policy": label, "horizon": t, **vars(moments), **vars(named)})
    tables.write(tables.table_of(rows), path)
