"""The leaderboard: the configuration, a task for each part of a policy on a problem, and the tables."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bandits import Custom, Policy
from bandits.bounds import regret_bound
from bandits.simulation import check_pair, prepare
from experiments.engine import printing
from experiments.engine.executors import Executor
from experiments.engine.experiment import Experiment, group, list_of
from experiments.engine.families import EXECUTOR, POLICY, LabelledPolicy
from experiments.engine.tasks import Task
from experiments.kinds.leaderboard.leaderboard_tables import EXACT, PROBLEMS, Problem, by_problem, rank_policies
from experiments.replications import finals
from numerics.output import tables
from numerics.output.figures import Caption, Figure
from numerics.output.plots import heat_map
from numerics.output.sheets import Facts, Sheet, interval, number, word
from numerics.output.style import SMALL
from numerics.parameters import must_be_one_of, parameter

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MOST = 10.0  # a ratio at which the colours end
_COUNTED = " with rewards in [0,\u00a01] and means that stay"


def draw_map(board: pd.DataFrame, problems: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw the ratios as a map, the best policy on top; a cell is empty where a policy cannot play."""
    from matplotlib.colors import LogNorm

    wide = problems.pivot_table(index="policy", columns="problem", values="ratio", sort=False)
    order = [*board["policy"], *sorted({*wide.index} - {*board["policy"]})]
    columns = [name for name in (EXACT, *(problem.name for problem in PROBLEMS)) if name in wide.columns]
    cells = wide.reindex(index=order, columns=columns)
    cells.insert(0, "score", board.set_index("policy")["score"].reindex(order))
    texts = cells.map(lambda ratio: f"{ratio:.2f}" if ratio < 10.0 else f"{ratio:.0f}")
    heat_map(axes, cells, texts, norm=LogNorm(1.0, _MOST), size=SMALL - 0.5, empty="white")
    axes.axvline(1.0, color="white", linewidth=6.0)
    return Caption(
        f"{int(facts['runs']):,} replications of most problems with common random numbers; 1: the lowest regret; "
        f"score: geometric mean over the simulated problems{_COUNTED}; empty: not run",
        "Regret relative to the best policy",
    )


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    board, timings = tables.read(folder / "leaderboard.csv"), tables.read(folder / "timings.parquet")
    spent = timings.groupby("policy")[["steps", "seconds"]].sum()
    return board.assign(nanoseconds=board["policy"].map(1e9 * spent["seconds"] / spent["steps"]))


def _mean_of(problems: int) -> str:
    return f"geometric mean of the {problems} simulated problems" if problems > 1 else "on the only simulated problem"


LEADERBOARD = Sheet(
    "leaderboard.csv",
    lambda frame, facts: (
        f"regret relative to the best policy, {_mean_of(int(frame['problems'].iloc[0]))}"
        f"{_COUNTED}; in brackets: 95 % intervals. Ranks are from paired "
        "comparisons on common random numbers, so they can be certain even if the intervals of scores overlap"
    ),
    (
        interval("rank", "rank", "g"),
        word("policy"),
        interval("score", "score", ".2f"),
        number("ns per step", "nanoseconds", ",.0f", optional=1),
    ),
    read=_read,
)


_EVERY = sorted(
    name
    for name, cls in Policy.members.items()
    if cls is not Custom and cls.limits is None and not cls.identifies and not cls().needs_features
)
_POLICIES = dataclasses.replace(POLICY, if_empty=tuple(_EVERY))


class Leaderboard(Experiment, name="leaderboard"):
    """All policies on a fixed set of problems: regret over the best policy's, and ranks with intervals."""

    bandits: Sequence[LabelledPolicy] = list_of(_POLICIES)
    executor: Executor = group(EXECUTOR)
    problems: list[str] = parameter([], help="names of some of the problems; all when left out")
    runs: int = parameter(1_000, low=2, most=1_000_000, help="replications of each policy on each problem")
    seed: int = parameter(0, low=0, help="decides all random numbers")

    unit = finals.UNIT
    summary: ClassVar[str | None] = "leaderboard.csv"
    figures = (
        Figure(
            "leaderboard",
            ("leaderboard.csv", "problems.csv"),
            draw_map,
            size=lambda board, problems, facts: (10.4, 1.9 + 0.3 * problems["policy"].nunique()),
        ),
    )
    sheets = (LEADERBOARD,)

    @property
    def chosen(self) -> list[Problem]:
        """The problems, in their own order."""
        return [problem for problem in PROBLEMS if not self.problems or problem.name in self.problems]

    def prepare(self) -> None:
        for index, name in enumerate(self.problems):
            if name not in [problem.name for problem in PROBLEMS]:
                raise ValueError(must_be_one_of(f"problems[{index}]", name, [problem.name for problem in PROBLEMS]))
        if not any(problem.counts for problem in self.chosen):
            counted = ", ".join(problem.name for problem in PROBLEMS if problem.counts)
            raise ValueError(
                f"problems must contain at least one that counts in the score: {counted}; got {self.problems}"
            )
        for index, entry in enumerate(self.bandits):
            if entry.policy.limits is not None:
                raise ValueError(
                    f"bandits[{index}] must play any number of arms; got {entry.label}, "
                    f"which is for {entry.policy.limits}"
                )
            if entry.policy.needs_features:
                raise ValueError(
                    f"bandits[{index}] must not need features, which the arms of the problems do not have; got "
                    f"{entry.label}"
                )
        for entry in self.bandits:
            for problem in self._played(entry):
                prepare(entry.policy, problem.arms, problem.horizon)

    def announce(self) -> None:
        printing.say(f"{len(self.bandits)} policies, {self.runs:,} replications of most problems:")
        for problem in self.chosen:
            printing.say(f"  {problem.name}: {problem.arms.describe()}; {problem.horizon:,} pulls")

    def _played(self, entry: LabelledPolicy) -> list[Problem]:
        """Return the problems that a policy can play."""
        playable = []
        for problem in self.chosen:
            with contextlib.suppress(ValueError):  # some policies are defined for rewards in [0, 1] only
                check_pair(entry.policy, problem.arms, problem.horizon)
                playable.append(problem)
        return playable

    def tasks(self, folder: Path) -> list[Task]:
        return [task for sample in self._samples(folder) for task in sample.tasks]

    def _samples(self, folder: Path) -> list[finals.Sample]:
        """Return each policy on each problem that it can play."""
        return [
            finals.plan(folder, index, entry, problem, max(2, round(self.runs * problem.share)), self.seed)
            for index, entry in enumerate(self.bandits)
            for problem in self._played(entry)
        ]

    def tables(self, folder: Path) -> dict[str, Any]:
        regrets: dict[str, dict[str, Any]] = {problem.name: {} for problem in self.chosen}
        bounds: dict[str, dict[str, float]] = {problem.name: {} for problem in self.chosen}
        times = []
        for sample in self._samples(folder):
            entry, problem, played = sample.entry, sample.problem, sample.read()
            regrets[problem.name][entry.label] = finals_of = played["regret"].to_numpy(np.float64)
            bounds[problem.name][entry.label] = regret_bound(entry.policy, problem.arms, problem.horizon, finals_of)
            times.append((entry.label, problem.name, len(played) * problem.horizon, float(played["seconds"].sum())))
        joined = {name: by_label for name, by_label in regrets.items() if by_label}
        formulas = {entry.label: entry.policy.formula for entry in self.bandits}
        problems = by_problem(joined, formulas, bounds)
        board = rank_policies(problems, joined, self.seed, bounds)
        board.insert(1, "formula", board["policy"].map(formulas))
        tables.write(problems, folder / "problems.csv")
        tables.write(board, folder / "leaderboard.csv")
        timings = tables.table_of(times, columns=["policy", "problem", "steps", "seconds"])
        tables.write(timings, folder / "timings.parquet")
        return {
            "seed": self.seed,
            "timings": {"playing": round(float(timings["seconds"].sum()), 3)},
            "runs": self.runs,
        }
