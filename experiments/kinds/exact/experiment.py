"""Exact expectations: the configuration, a task a policy, and the tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bandits import Arms, Bernoulli
from bandits.arms.bernoulli import RandomBernoulli
from bandits.exact.moments import Moments, at_means, over_prior
from bandits.exact.states import Layer, check, layers
from experiments.engine import console as report
from experiments.engine.executors import Executor
from experiments.engine.experiment import SHARDS, Experiment, group, list_of
from experiments.engine.families import ARMS, EXECUTOR, POLICY, LabelledPolicy
from experiments.engine.tasks import Task
from experiments.kinds.exact import figures
from experiments.kinds.exact.sheets import EXPECTED, notes
from experiments.replications.arms import describe_arms
from numerics.output import tables
from numerics.parameters import parameter

POINTS = 100  # of a curve: at every pull up to here, and at fewer beyond, where each costs more
FEWER = 40


class Exact(Experiment, name="exact"):
    """Expected regret of policies on two or three Bernoulli arms, computed instead of simulated."""

    bandits: Sequence[LabelledPolicy] = list_of(POLICY)
    arms: Arms = group(ARMS)
    executor: Executor = group(EXECUTOR)
    horizon: int = parameter(60, low=1, high=1_000, help="pulls; at most 100 for three arms")

    unit = "policies"
    summary = "exact.csv"
    figures = figures.FIGURES
    sheets = (EXPECTED,)
    notes = staticmethod(notes)

    def prepare(self) -> None:
        if not isinstance(self.arms, Bernoulli | RandomBernoulli):
            raise ValueError(
                "arms must be Bernoulli arms, such as arms=bernoulli_10 arms.means=[0.3,0.5] or arms=random_means "
                f"arms.arms=2; got {self.arms.describe()}"
            )
        if isinstance(self.arms, RandomBernoulli) and self.arms.count != 2:
            raise ValueError(f"arms.arms must be 2 for exact expectations over a prior; got {self.arms.count}")
        for place, one in enumerate(self.bandits):
            try:
                check(one.policy, self.arms.count, self.horizon)
            except ValueError as error:
                raise ValueError(f"bandits[{place}]: {error}") from None

    def announce(self) -> None:
        report.say(
            f"{self.arms.describe()}\n{', '.join(one.label for one in self.bandits)}: {self.horizon:,} pulls, exactly"
        )

    def tasks(self, folder: Path) -> list[Task]:
        return [
            Task(folder / SHARDS / f"{place:03d}.csv", expect, (one.label, one.policy, self.arms, self.horizon))
            for place, one in enumerate(self.bandits)
        ]

    def tables(self, folder: Path) -> dict[str, Any]:
        import pandas as pd

        curves = pd.concat([tables.read(task.path) for task in self.tasks(folder)], ignore_index=True)
        tables.write(curves, folder / "curves.csv")
        last = curves[curves["horizon"] == self.horizon]
        formulas = {one.label: one.policy.formula for one in self.bandits}
        last.insert(1, "formula", last["policy"].map(formulas))
        tables.write(last.reset_index(drop=True), folder / "exact.csv")
        return {
            "seed": None,
            "timings": {},
            "arms": describe_arms(self.arms),
            "averaged": isinstance(self.arms, RandomBernoulli),
            "planned": [one.label for one in self.bandits if one.policy.spec().plan is not None],
        }


def points(horizon: int) -> list[int]:
    """Return the numbers of pulls at which a curve is given, the last one among them.

    Examples
    --------
    >>> points(5), len(points(1_000))
    ([1, 2, 3, 4, 5], 40)
    """
    count = horizon if horizon <= POINTS else FEWER
    return sorted({int(one) for one in np.linspace(1, horizon, count).round()})


def expect(path: Path, label: str, policy: Any, arms: Bernoulli | RandomBernoulli, horizon: int) -> None:
    """Compute and write what is expected of one policy at some numbers of pulls.

    A policy that reads the horizon is that of the whole horizon at every one of them.
    """
    import pandas as pd

    wanted = set(points(horizon))
    rows = []
    for t, layer in enumerate(layers(policy, arms.count, horizon), start=1):
        if t in wanted:
            rows.append({"policy": label, "horizon": t, **vars(_moments(layer, arms))})
    tables.write(pd.DataFrame(rows), path)


def _moments(layer: Layer, arms: Bernoulli | RandomBernoulli) -> Moments:
    return at_means(layer, arms.means) if isinstance(arms, Bernoulli) else over_prior(layer, arms.a, arms.b)
