"""How regret grows: the configuration, a task for each policy and problem, and the tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bandits.bounds import regret_bound
from bandits.simulation import LONGEST, check_pair, prepare
from experiments.engine import printing
from experiments.engine.executors import Executor
from experiments.engine.experiment import Experiment, group, list_of
from experiments.engine.families import EXECUTOR, POLICY, LabelledPolicy
from experiments.engine.tasks import Task
from experiments.kinds.scaling.slopes import ARMS, GAP, HORIZON, Point, points, slopes
from experiments.replications import finals
from numerics import checks
from numerics.output import tables
from numerics.output.figures import Caption, Facts, Figure
from numerics.output.plots import curves
from numerics.output.scales import Scale
from numerics.output.sheets import Sheet, interval, word
from numerics.output.style import number
from numerics.parameters import parameter
from numerics.statistics.bounded import mean_interval

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from matplotlib.axes import Axes

_LABELS = {ARMS: "arms K", GAP: "gap", HORIZON: "horizon T"}
_GAP, _LN = r"\,\mathrm{gap}", r"\,\ln"  # in a formula
_LETTERS = {ARMS: "K =", GAP: "gap", HORIZON: "T ="}


def draw(points: pd.DataFrame, slopes: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> Caption:
    """Draw a panel for each number that was varied, one below the other."""
    varied = list(dict.fromkeys(points["varied"]))
    panels = np.atleast_1d(figure.subplots(len(varied), 1))
    for axes, name in zip(panels, varied, strict=True):
        fixed = [f"{_LETTERS[key]} {number(value)}" for key, value in facts["fixed"].items() if key != name]
        draw_panel(points[points["varied"] == name], slopes[slopes["varied"] == name], axes, ", ".join(fixed))
    slope = "; b: fitted slope" * bool(len(slopes))
    text = f"{facts['runs']:,} replications; whiskers: 95 % intervals{slope}"
    return Caption(text, "How regret grows")


def draw_panel(frame: pd.DataFrame, slopes: pd.DataFrame, axes: Axes, text: str) -> None:
    """Draw one line a policy: mean regret against the number that was varied, with its 95 % interval.

    Behind the name of a line stands its fitted slope, and above the panel the law that is fitted.
    """
    varied, is_horizon = str(frame["varied"].iloc[0]), bool((frame["varied"] == HORIZON).all())
    fitted = dict(zip(slopes["policy"], slopes["slope"], strict=True))
    if fitted:
        formula, comma, rest = str(slopes["law"].iloc[0]).partition(",")
        text += f"; fit: ${formula.replace('gap', _GAP).replace('ln', _LN)}${comma}{rest}"
    ends = curves(
        axes,
        frame.rename(columns={"regret_mean": "regret"}),
        "value",
        "regret",
        by="policy",
        x_scale=Scale(_LABELS[varied], log=True, at_values=not is_horizon),
        y_scale=Scale("mean regret $L_T$", log=not is_horizon),
        names={
            label: label + (f", b = {number(fitted[label], 3)}" if label in fitted else "")
            for label in dict.fromkeys(frame["policy"])
        },
    )
    Caption(f"against {_LABELS[varied]}; {text}", ends=ends).write(axes)


SLOPES = Sheet(
    "slopes.csv",
    "slope b of a line fitted to L_T; in brackets: 95 % intervals if the law holds",
    (word("varied"), word("law"), word("policy"), interval("b", "slope", ".3g")),
    read=lambda folder, facts: (
        tables.read(folder / "slopes.csv")
        .rename(columns={"ci_low": "slope_low", "ci_high": "slope_high"})
        .sort_values("varied", kind="stable")
    ),
    group=lambda row: row["varied"],
)


_MOST_ARMS = 100_000


def _check_distinct(check: Callable[..., Any], *limits: float, **options: bool) -> Callable[[str, Any], list[Any]]:
    """Return what checks a list of different values, each within limits, and puts them in order."""

    def checked(name: str, values: Any) -> list[Any]:
        if not isinstance(values, list):
            raise ValueError(f"{name} must be a list; got {values!r}")
        numbers = [check(f"{name}[{i}]", value, *limits, **options) for i, value in enumerate(values)]
        if len(set(numbers)) < len(numbers):
            raise ValueError(f"{name} must hold different values; got {numbers}")
        return sorted(numbers)

    return checked


class Scaling(Experiment, name="scaling"):
    """How regret grows with the number of arms, the gap and the horizon, with fitted slopes."""

    bandits: Sequence[LabelledPolicy] = list_of(POLICY)
    executor: Executor = group(EXECUTOR)
    numbers_of_arms: list[int] = parameter(
        [2, 4, 8, 16, 32, 64], check=_check_distinct(checks.check_whole, 2, _MOST_ARMS), help="varied numbers of arms K"
    )
    gaps: list[float] = parameter(
        [0.02, 0.05, 0.1, 0.2, 0.4, 0.8],
        check=_check_distinct(checks.number, 0.0, 1.0, above=True),
        help="varied gaps of the best arm",
    )
    horizons: list[int] = parameter(
        [100, 316, 1_000, 3_162, 10_000, 31_623, 100_000],
        check=_check_distinct(checks.check_whole, 1, LONGEST),
        help="varied horizons T",
    )
    number_of_arms: int = parameter(10, low=2, high=_MOST_ARMS, help="K while gap or horizon is varied")
    gap: float = parameter(0.2, low=0.0, high=1.0, above=True, help="gap of the best arm while K or T is varied")
    horizon: int = parameter(10_000, low=1, most=LONGEST, help="T while K or the gap is varied")
    runs: int = parameter(200, low=2, most=1_000_000, help="replications of each policy on each problem")
    seed: int = parameter(0, low=0, help="random seed")

    unit = finals.UNIT
    summary: ClassVar[str | None] = "slopes.csv"
    figures = (
        Figure(
            "scaling",
            ("scaling.csv", "slopes.csv"),
            draw,
            size=lambda points, *_: (7.6, 1.0 + 2.9 * points["varied"].nunique()),
            panels=True,
        ),
    )
    sheets = (SLOPES,)

    @property
    def points(self) -> list[Point]:
        """The problems."""
        varied = (self.numbers_of_arms, self.gaps, self.horizons)
        return list(points(*varied, self.number_of_arms, self.gap, self.horizon))

    def prepare(self) -> None:
        if not self.points:
            raise ValueError("numbers_of_arms, gaps and horizons must not all be empty")
        for entry in self.bandits:
            for point in self.points:
                entry.probe(point.arms)
                check_pair(entry.policy, point.arms, point.horizon)
                prepare(entry.policy, point.arms, point.horizon)

    def announce(self) -> None:
        names = ", ".join(entry.label for entry in self.bandits)
        printing.say(
            f"{names}\n{len(self.points)} problems of one best arm among equal ones, {self.runs:,} replications"
        )

    def tasks(self, folder: Path) -> list[Task]:
        return [task for sample in self._samples(folder) for task in sample.tasks]

    def _samples(self, folder: Path) -> list[finals.Sample]:
        """Return each policy on each problem."""
        return [
            finals.plan(folder, index, entry, point, self.runs, self.seed)
            for index, entry in enumerate(self.bandits)
            for point in self.points
        ]

    def tables(self, folder: Path) -> dict[str, Any]:
        regrets: dict[tuple[str, str], dict[float, Any]] = {}
        bounds: dict[tuple[str, str], dict[float, float]] = {}
        rows = []
        for sample in self._samples(folder):
            label, point, played = sample.entry.label, sample.problem, sample.read()["regret"].to_numpy(np.float64)
            bound = regret_bound(sample.entry.policy, point.arms, point.horizon, played)
            regrets.setdefault((label, point.varied), {})[float(point.value)] = played
            bounds.setdefault((label, point.varied), {})[float(point.value)] = bound
            low, high = mean_interval(played, math.nan if math.isnan(bound) else 0.0, bound)
            what = (label, point.varied, float(point.value), played.size)
            rows.append((*what, played.mean(), float(low), float(high), bound))
        names = ["policy", "varied", "value", "runs", "regret_mean", "regret_low", "regret_high", "regret_bound"]
        tables.write(tables.table_of(rows, columns=names), folder / "scaling.csv")
        tables.write(slopes(regrets, bounds), folder / "slopes.csv")
        fixed = {"arms": self.number_of_arms, "gap": self.gap, "horizon": self.horizon}
        return {"seed": self.seed, "timings": {}, "runs": self.runs, "fixed": fixed}
