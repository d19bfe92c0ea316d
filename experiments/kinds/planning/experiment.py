"""Searches of a process judged by its exact values: what the chosen action loses, against simulations and steps.

The loss of action a in state s is V(s) - Q(s, a) for the player to move. V and Q are exact, by value iteration. Regret
at the root is the sum of the losses of the first actions of all simulations.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.engine import printing
from experiments.engine.executors import Executor
from experiments.engine.experiment import SHARDS, Experiment, group, list_of
from experiments.engine.families import EXECUTOR, PROCESS, TREE_POLICY, LabelledPolicy
from experiments.engine.sweep.table import TABLE, Quantity, Setting, Sweep, join
from experiments.engine.tasks import Task, parts_of
from experiments.kinds.planning.searches import Rule, Searches, Starts, search_states, starts_of, summary_of
from mcts.policy import index_rule_of
from mcts.processes.base import PROCESSES, NamedProcess
from mcts.processes.exact import ExactValues, exact_values
from mcts.processes.planning import LOOPS, SCALES, plan
from numerics import checks
from numerics.output import tables
from numerics.output.captions import Caption, End, label_of
from numerics.output.figures import Facts, Figure
from numerics.output.plots import curves
from numerics.output.scales import Scale
from numerics.output.sheets import Column, Sheet, interval, number, word
from numerics.output.style import number as written
from numerics.parameters import parameter

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MOST_SIMULATIONS, _MOST_SEARCHES = 10**7, 10**6
_AXES = {"steps": "simulated steps of a search (mean)", "simulations": "simulations of a search"}
_LABELS = {"loss": "mean loss of the chosen action", "regret": "mean regret at the root"}
_TITLES = {"loss": "Loss of the chosen action", "regret": "Regret at the root"}
_LEVEL: dict[str, Any] = {"color": "0.55", "linewidth": 0.9, "linestyle": (0, (4, 2))}
_SIZE = (7.6, 4.6)
_STEP = 0.006  # of the axis, from an error bar to that of the next line


def _rules(frame: pd.DataFrame) -> pd.Series[str]:
    """Return the rule of each row: its policy, and its scale where there are several."""
    named: pd.Series[str] = frame["policy"] + (", " + frame["scale"] if frame["scale"].nunique() > 1 else "")
    return named


def draw(summary: pd.DataFrame, axes: Axes, facts: Facts, *, over: str, name: str = "loss") -> Caption:
    """Draw one line a rule: its mean loss, or regret, over simulations or steps; and an action at random."""
    level = [facts["random"]] if name == "loss" else []
    ends = curves(
        axes,
        summary.assign(rule=_rules(summary)),
        over,
        name,
        by="rule",
        x_scale=Scale(_AXES[over], log=True, at_values=over == "simulations"),
        y_scale=Scale(_LABELS[name]),
        apart=_STEP,
        view=level,
    )
    for height in level:
        axes.axhline(height, **_LEVEL)
        ends.append(End("an action at random", height, {**_LEVEL, "marker": ""}, faint=True))
    return Caption(_sample(summary, name), f"{_TITLES[name]}: {label_of(facts['process'])}", ends=ends)


def _sample(summary: pd.DataFrame, name: str) -> str:
    starts, searches = (int(summary[name].iloc[0]) for name in ("starts", "searches"))
    where = "from one state" if starts == 1 else f"from {written(starts)} states"
    hollow = "; hollow triangle: none lost, and the upper end of its interval" * bool((summary[name] == 0.0).any())
    return f"{written(searches)} searches {where}; whiskers: 95 % intervals{hollow}"


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return one row a rule, with columns COUNT, COUNT_low and COUNT_high for each number of simulations."""
    summary = tables.read(folder / "summary.csv")
    summary["rule"] = _rules(summary)
    wide = summary.rename(columns={"loss_low": "_low", "loss_high": "_high", "loss": ""})
    wide = wide.pivot(index="rule", columns="simulations", values=["", "_low", "_high"])
    wide.columns = [f"{column[1]}{column[0]}" for column in wide.columns]
    last = summary[summary["simulations"] == summary["simulations"].max()].set_index("rule")
    rows: pd.DataFrame = last.filter(regex="^(steps|best|regret)").join(wide).reset_index()
    return rows


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    counts = sorted(int(name) for name in map(str, frame.columns) if name.isdigit())
    return [
        word("rule"),
        *(interval(f"{count:,}", str(count), ".3g") for count in counts),
        interval("best action, %", "best", scale=100, optional=1),
        interval("regret", form=",.3g", optional=2),
        number("steps", form=",.0f", optional=3),
    ]


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    most = max(int(name) for name in map(str, frame.columns) if name.isdigit())
    return (
        "mean loss of the chosen action, V(s) - Q(s, a), after so many simulations; the other columns: after "
        f"{most:,}; in brackets: 95 % intervals"
    )


LOSSES = Sheet(
    "summary.csv",
    _title,
    _columns,
    read=_read,
    leading=1,
)


def caveats(folder: Path, facts: Facts) -> list[str]:
    """Say where there was nothing to lose, and what a single start says nothing of."""
    sentences = []
    if facts["starts"] == 1:
        sentences.append("All searches start in one state. The intervals do not cover other states.")
    if 2 * facts["indifferent"] >= facts["starts"]:
        sentences.append(
            f"In {facts['indifferent']:,} of {facts['starts']:,} start states every action is optimal, so the loss "
            "is always 0."
        )
    return sentences


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say which rule loses least in the end, and what an action at random loses."""
    summary = tables.read(folder / "summary.csv")
    most = summary["simulations"].max()
    last = summary.assign(rule=_rules(summary))[summary["simulations"] == most]
    best = last.loc[last["loss"].idxmin()]
    return [
        f"lowest loss after {most:,} simulations: {best['rule']}, {best['loss']:.3g}; an action at random loses "
        f"{facts['random']:.3g}"
    ]


def _last(setting: Setting) -> pd.DataFrame:
    """Return the rows of a run after all simulations; `policy` is the rule."""
    summary = tables.read(setting.folder / "summary.csv")
    named = summary.assign(policy=_rules(summary)).drop(columns="scale")
    last: pd.DataFrame = named[named["simulations"] == named["simulations"].max()].reset_index(drop=True)
    return last


def _columns_of_sweep(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    swept = [word(key) for key in facts["varied"] if key in frame and key not in ("policy", "simulations")]
    return [
        word("rule", "policy"),
        *swept,
        number("simulations"),
        number("steps", form=",.0f", optional=1),
        interval("loss", form=".3g"),
        interval("best action, %", "best", scale=100, optional=2),
    ]


SWEEP = Sweep(
    lambda settings: join(settings, _last),
    (Quantity("loss", "loss", "mean loss of the chosen action", "whiskers: 95 % intervals"),),
    lambda table, settings: "Loss of the chosen action",
    sheets=(Sheet(TABLE, "after all simulations of each run; in brackets: 95 % intervals", _columns_of_sweep),),
)


def _scales(name: str, value: Any) -> list[Any]:
    """Return scales, each once: texts, and bounds as pairs of numbers."""
    if not isinstance(value, list) or not value:
        raise ValueError(f"{name} must be a list, such as [tree,spread,[-100,0]]; got {checks.show(value)}")
    scales = []
    for index, scale in enumerate(value):
        bounds = isinstance(scale, list | tuple) and len(scale) == 2
        if bounds:
            scale = [checks.number(f"{name}[{index}][{end}]", scale[end]) for end in range(2)]
        if not (scale[0] < scale[1] if bounds else scale in SCALES):
            allowed = f"{', '.join(SCALES)}, or bounds of returns, the lower first, such as [-100,0]"
            raise ValueError(f"{name}[{index}] must be one of {allowed}; got {checks.show(scale)}")
        if scale in scales:
            raise ValueError(f"{name} must hold each scale once; got {checks.show(value)}")
        scales.append(scale)
    return scales


def _budgets(name: str, value: Any) -> list[int]:
    """Return numbers of simulations in increasing order, each once."""
    if not isinstance(value, list) or not value:
        raise ValueError(f"{name} must be a list, such as [100,1000]; got {checks.show(value)}")
    counts = [
        checks.check_whole(f"{name}[{index}]", count, 1, most=_MOST_SIMULATIONS) for index, count in enumerate(value)
    ]
    if len(set(counts)) < len(counts):
        raise ValueError(f"{name} must hold each number once; got {checks.show(value)}")
    return sorted(counts)


class Planning(Experiment, name="planning"):
    """What the action that a search of a process chooses loses, against simulations and simulated steps."""

    process: NamedProcess = group(PROCESS)
    policies: Sequence[LabelledPolicy] = list_of(TREE_POLICY)
    executor: Executor = group(EXECUTOR)
    scales: list[Any] = parameter(
        ["tree"], check=_scales, help="how returns are scaled to [0, 1]: tree, spread, or bounds [LOW,HIGH]"
    )
    simulations: list[int] = parameter([10, 30, 100, 300, 1000], check=_budgets, help="of a search")
    starts: int | None = parameter(
        50,
        low=1,
        most=_MOST_SEARCHES,
        help="number of random non-terminal start states; null: the initial state",
    )
    runs: int = parameter(1, low=1, most=_MOST_SEARCHES, help="searches of each start by each rule and budget")
    loop: str = parameter(
        "closed", choices=LOOPS, help="closed: a node for each outcome of an action; open: one for all"
    )
    steps: int = parameter(1_000, low=1, most=10**6, help="of a simulation, at most")
    seed: int = parameter(0, low=0, help="decides all random numbers")

    unit = "searches"
    figures = (
        *(Figure(over, "summary.csv", functools.partial(draw, over=over), size=_SIZE) for over in _AXES),
        Figure("regret", "summary.csv", functools.partial(draw, over="simulations", name="regret"), size=_SIZE),
    )
    sheets = (LOSSES,)
    caveats = staticmethod(caveats)
    notes = staticmethod(notes)
    sweep = SWEEP

    @functools.cached_property
    def values(self) -> ExactValues:
        """The exact values of the process."""
        return exact_values(self.process.process)

    @functools.cached_property
    def begun(self) -> Starts:
        """The states where searches begin."""
        return starts_of(self.values, self.starts, self.seed)

    @property
    def rules(self) -> list[Rule]:
        """Each policy with each scale."""
        scales = [scale if isinstance(scale, str) else (scale[0], scale[1]) for scale in self.scales]
        return [Rule(entry.label, entry.policy, scale) for entry in self.policies for scale in scales]

    def prepare(self) -> None:
        for entry in self.policies:
            index_rule_of(entry.policy, horizon=True, argument=entry.key)
            entry.probe()
        if np.isnan(self.values.action_values()).all():
            raise ValueError("process must have an action in its initial state; it has none")
        plan(self.process.process, simulations=1, steps=1)  # compiles

    def announce(self) -> None:
        names = ", ".join(entry.label for entry in self.policies)
        counts = ", ".join(f"{count:,}" for count in self.simulations)
        searches = f"{self.runs:,} search{'es' if self.runs > 1 else ''}"
        begin = "in its first state" if self.starts is None else f"in each of {self.starts:,} states"
        printing.say(
            f"{PROCESSES.text(self.process)}: {len(self.values.values):,} states; the first has value "
            f"{self.values.value:.6g}\n{names}: {searches} {begin}, for each of {counts} simulations"
        )

    def tasks(self, folder: Path) -> list[Task]:
        rules, starts = self.rules, self.begun
        settings = (self.simulations, starts, self.runs, self.loop, self.steps, self.seed)
        return [
            Task(
                folder / SHARDS / f"rule{index:03d}_search{numbers[0]:07d}.parquet",
                search_states,
                (Searches(self.process, rule, *settings), numbers),
                len(numbers),
            )
            for index, rule in enumerate(rules)
            for numbers in parts_of(len(starts.states) * self.runs, among=len(rules))
        ]

    def tables(self, folder: Path) -> dict[str, Any]:
        begun = self.begun
        searches = tables.join_tables([tables.read(task.path) for task in self.tasks(folder)])
        tables.write(searches, folder / "searches.parquet")
        tables.write(summary_of(searches, begun.largest), folder / "summary.csv")
        return {
            "seed": self.seed,
            "timings": {},
            "process": PROCESSES.text(self.process),
            "states": len(self.values.values),
            "value": self.values.value,
            "starts": len(begun.states),
            "indifferent": begun.indifferent,
            "random": begun.random,
        }
