"""The searches of a process by several rules, and the loss of the actions that they try and choose."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bandits import Policy
from mcts.processes.base import NamedProcess
from mcts.processes.exact import ExactValues
from mcts.processes.planning import plan
from mcts.processes.process import Process
from numerics.output import tables
from numerics.random import Purpose, derived_seed, streams, unit
from numerics.statistics.bounded import mean_interval
from numerics.statistics.scores import Scores

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.int64]
Scale = str | tuple[float, float]

_EXACT = 1e-9  # of the largest value: a smaller loss is an error of the exact values
_DRAWN = 64  # states that are drawn at a time
RULE = ["policy", "scale"]


@dataclasses.dataclass(frozen=True)
class Rule:
    """A policy of a tree and the scale of its values; `label` stands in tables and figures."""

    label: str
    policy: Policy
    scale: Scale


@dataclasses.dataclass(frozen=True, eq=False)
class Starts:
    """The states where searches begin.

    Attributes
    ----------
    states : int64[X, S]
    losses : float64[X, A]
        What each action loses, for the player to move: V(s) - Q(s, a); NaN where it is not possible.
    """

    states: Words
    losses: Floats

    @property
    def random(self) -> float:
        """The mean loss of an action at random."""
        return float(np.nanmean(self.losses, axis=1).mean())

    @property
    def largest(self) -> float:
        """The largest loss of an action."""
        return float(np.nanmax(self.losses))

    @property
    def indifferent(self) -> int:
        """In how many states all actions are equally good."""
        return int((np.nanmax(self.losses, axis=1) == 0.0).sum())


@dataclasses.dataclass(frozen=True, eq=False)
class Searches:
    """The settings that the searches of one rule share."""

    process: NamedProcess
    rule: Rule
    simulations: Sequence[int]
    starts: Starts
    runs: int
    loop: str
    steps: int
    seed: int


def starts_of(values: ExactValues, count: int | None, seed: int) -> Starts:
    """Return states drawn with replacement from all that go on, or the first state alone where there is no count."""
    if count is None:
        return Starts(values.states[:1], losses_in(values, values.states[0])[None])
    states: list[Words] = []
    losses: list[Floats] = []
    first = 0
    while len(states) < count:
        drawn = unit(streams(seed, (Purpose.PLANNING_START,), first, _DRAWN)[:, 0])
        first += _DRAWN
        for state in values.states[(drawn * len(values.states)).astype(np.int64)]:
            lost = losses_in(values, state)
            if not np.isnan(lost).all():  # the process goes on
                states.append(state)
                losses.append(lost)
    return Starts(np.array(states[:count]), np.array(losses[:count]))


def losses_in(values: ExactValues, state: Words) -> Floats:
    """Return what each action of a state loses, float64[A]; NaN where it is not possible.

    Examples
    --------
    >>> from mcts import exact_values
    >>> from mcts.processes.sailing import Sailing
    >>> values = exact_values(Sailing(2, wind=1))
    >>> losses_in(values, values.states[0]).round(9).tolist()
    [3.1, 0.0, 2.9, nan, nan, nan, nan, nan]
    """
    process, of_actions = values.process, values.action_values(state)
    if np.isnan(of_actions).all():
        return of_actions
    if process.to_move is not None and state[process.to_move] == 1:
        of_actions = -of_actions
    lost: Floats = np.nanmax(of_actions) - of_actions
    lost[lost <= _EXACT * max(1.0, float(np.abs(values.values).max()))] = 0.0
    return lost


def search(process: Process, losses: Floats, terms: Searches, simulations: int, seed: int) -> dict[str, Any]:
    """Search a process once; `regret` is the sum over simulations of what the first action loses."""
    rule = terms.rule
    result = plan(process, rule.policy, simulations, scale=rule.scale, loop=terms.loop, steps=terms.steps, seed=seed)
    action, regret = result.best_move, float(result.visits @ losses[result.moves])
    return {"action": action, "steps": result.steps, "loss": losses[action], "regret": regret}


def search_states(path: Path, terms: Searches, numbers: range) -> None:
    """Carry out some searches, and store what they lost; each start has `runs` searches in a row."""
    process, rows = terms.process.process, []
    for number in numbers:
        start, run = divmod(number, terms.runs)
        begun, losses = dataclasses.replace(process, state=terms.starts.states[start]), terms.starts.losses[start]
        seed = derived_seed(terms.seed, (Purpose.PLANNING_SEARCH, start, run))
        for simulations in terms.simulations:
            row = search(begun, losses, terms, simulations, seed)
            rows.append({"simulations": simulations, "start": start, "run": run, **row})
    table = tables.table_of(rows)
    for name, value in (("scale", scale_text(terms.rule.scale)), ("policy", terms.rule.label)):
        table.insert(0, name, value)
    tables.write(table, path)


def scale_text(scale: Scale) -> str:
    """Write a scale as the command line has it.

    Examples
    --------
    >>> scale_text("tree"), scale_text((-100.0, 0.0))
    ('tree', '[-100,0]')
    """
    return scale if isinstance(scale, str) else f"[{scale[0]:g},{scale[1]:g}]"


def summary_of(searches: pd.DataFrame, largest: float) -> pd.DataFrame:
    """Return the mean loss of each rule after each number of simulations.

    Parameters
    ----------
    searches : pandas.DataFrame
        A row a search, with its `loss`.
    largest : float
        The largest loss that an action can have.

    Returns
    -------
    pandas.DataFrame
        policy, scale, simulations; starts, searches; steps, the mean of a search. loss, best and regret: the mean loss,
        the share of best actions and the mean regret, with the ends of their 95 % intervals. An observation is a start
        with all its runs. If there is only one start, an observation is a run.
    """
    rows = []
    starts = int(searches["start"].nunique())
    for key, group in searches.groupby([*RULE, "simulations"], sort=False):
        judged = group.assign(best=group["loss"] == 0.0)
        observed: Any = judged if starts == 1 else judged.groupby("start")[["loss", "best", "regret"]].mean()
        losses, best, regret = (observed[name].to_numpy(np.float64) for name in ("loss", "best", "regret"))
        named = dict(zip([*RULE, "simulations"], key if isinstance(key, tuple) else (key,), strict=True))
        rows.append(
            {**named, "starts": starts, "searches": len(group), "steps": float(group["steps"].mean())}
            | _estimate("loss", losses, mean_interval(losses, 0.0, largest))
            | _estimate("best", best, Scores([best]).interval())
            | _estimate("regret", regret, mean_interval(regret, 0.0, largest * int(group["simulations"].iloc[0])))
        )
    return tables.table_of(rows)


def _estimate(name: str, values: Floats, ends: tuple[Any, Any]) -> dict[str, float]:
    return {name: float(values.mean()), f"{name}_low": float(ends[0]), f"{name}_high": float(ends[1])}
