"""One replication, step by step: the same one that `experiment=regret` plays under this seed."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bandits import Arms, Policy, trace
from bandits.delivery.base import Delivery
from bandits.figures.trace import draw_trace
from bandits.simulation import LONGEST, MOST_RUNS, check_pair, check_traced
from experiments.engine.executors import Executor
from experiments.engine.executors.serial import Serial
from experiments.engine.experiment import SHARDS, Experiment, group
from experiments.engine.families import ARMS, DELIVERY, POLICY, LabelledPolicy
from experiments.engine.printing import say
from experiments.engine.tasks import Task
from experiments.recordings.bandit import check_horizon, describe_policy, packed_steps
from experiments.recordings.html import frame_of
from experiments.recordings.packed import count_steps
from experiments.replications.arms import LOG_SHEET, problem_of, store_arms
from numerics.output import tables
from numerics.output.captions import Caption, label_of
from numerics.output.figures import Facts, Figure
from numerics.output.sheets import Column, Row, Sheet, number
from numerics.parameters import parameter

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd

_NAME = 16  # characters of an arm's name above its column
_PULLED, _NEVER = "*", "-"
_ALARMS = 10  # that are named


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say which policy played, the true means, and the pulls after which it noticed a change, if it looks for any."""
    means = ", ".join(f"{mean:.4g}" for mean in facts["means"])
    at_first = " at first" * ("moments" in facts["arms"])
    sentences = [f"{facts['policy']}; means of replication {facts['run']}{at_first}: {means}"]
    steps = tables.read(folder / "steps.parquet")
    if "alarms" in steps:
        after = steps["t"][steps["alarms"].diff().fillna(steps["alarms"]) > 0.0].tolist()
        shown = ", ".join(f"{t:,}" for t in after[:_ALARMS]) + ", ..." * (len(after) > _ALARMS)
        sentences.append(f"alarms after pulls {shown}" if after else "no alarm")
    return sentences


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return the first and the last steps, `facts["rows"]` in all; `half` says which of the two."""
    steps, rows = tables.read(folder / "steps.parquet"), facts["rows"]
    half = (steps.index >= (rows + 1) // 2).astype(int) if len(steps) > rows else 0
    kept: pd.DataFrame = steps.assign(half=half, steps=len(steps))[
        (half == 0) | (steps.index >= len(steps) - rows // 2)
    ]
    return kept


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    indices = frame[[f"index_{arm}" for arm in range(len(facts["arms"]["names"]))]].to_numpy()
    mean = "mean of all rewards" if facts["forgets"] else "mean"
    what = mean if np.isnan(indices).all() else f"{mean} and index"
    low = ", low: index -inf" if np.isneginf(indices).any() else ""
    all_steps = frame["steps"].iloc[0]
    ends = f"; the first and last {len(frame)} of {all_steps:,} steps" if len(frame) < all_steps else ""
    late = facts["delivery"]
    never = f"no reward received yet ({late})" if late else "not pulled yet"
    return f"{what} before the pull; {_PULLED} pulled, {_NEVER} {never}{low}{ends}"


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    arms = [
        Column(_head(arm, name), functools.partial(_cell, arm=arm), f"mean_{arm}")
        for arm, name in enumerate(facts["arms"]["names"])
    ]
    return [
        number("t", form=""),
        number("arm", form=""),
        number("reward", form="g"),
        number("regret", "pseudo_regret", ".2f"),
        *arms,
    ]


def _head(arm: int, name: str) -> str:
    """Return the number that the column "arm" holds, with the arm's name where it has another one."""
    short = name if len(name) <= _NAME else f"{name[: _NAME - 3]}..."
    return f"arm {arm}" if name == str(arm) else f"arm {arm} {short}"


def _cell(row: Row, arm: int) -> str:
    """Return the arm's mean, and its index where the policy computed one, with a sign where the arm is pulled."""
    mean, index = row[f"mean_{arm}"], row[f"index_{arm}"]
    parts = [f"{mean:.2f}" if row[f"pulls_{arm}"] else _NEVER]
    if not np.isnan(index):
        parts.append("low" if np.isneginf(index) else f"{index:.2f}")
    return (_PULLED if arm == row["arm"] else "") + " ".join(parts)


STEPS = Sheet("steps.csv", _title, _columns, read=_read, group=lambda row: row["half"], leading=4)


def draw_steps(steps: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> Caption:
    """Draw rewards, choices and indices, step by step."""
    arms = facts["arms"]
    draw_trace(figure, steps, facts["means"], arms["names"], estimated=arms["estimated"], forgets=facts["forgets"])
    who, on = facts["title"].partition(":")[0], arms["title"]
    return Caption(facts["title"], f"One replication of {who}" + (f" on {label_of(on, 80)}" if on else ""))


def recording_of_trace(folder: Path, facts: Facts) -> str:
    """Return HTML that plays the steps of a trace.

    Raises
    ------
    ValueError
        A trace that is too long for it, of arms that change, or of rewards that come late.
    """
    if "moments" in facts["arms"]:
        raise ValueError(f"arms must have fixed means in a recording; got {facts['arms']['title']}")
    if facts["delivery"]:
        raise ValueError("delivery must be at_once in a recording; the rewards of this run are delayed")
    names, means = facts["arms"]["names"], facts["means"]
    steps = tables.read(folder / "steps.parquet")
    check_horizon(len(steps), len(names), 1)
    before, scores = (steps[[f"{kind}_{arm}" for arm in range(len(names))]].to_numpy() for kind in ("mean", "index"))
    on, which = facts["arms"]["title"], f"replication {facts['run']}, seed {facts['seed']}"
    title = f"{facts['rule']['label']} pulls {on}: {count_steps(len(steps), 'pull')}, {which}"
    return frame_of(
        {
            "kind": "bandit",
            "version": 1,
            "title": title,
            "command": "",
            "arms": {"names": names, "means": means, "law": facts["law"]},
            "horizon": len(steps),
            "seed": facts["seed"],
            "run": facts["run"],
            "plays": [
                facts["rule"]
                | packed_steps(
                    steps["arm"], steps["reward"], before, scores, steps["pseudo_regret"], steps["realised_regret"]
                )
            ],
        }
    )


class Trace(Experiment, name="trace"):
    """One replication, step by step."""

    summary: ClassVar[str | None] = None
    unit = "pulls"

    bandit: LabelledPolicy = group(POLICY)
    arms: Arms = group(ARMS)
    delivery: Delivery = group(DELIVERY)
    horizon: int = parameter(40, low=1, most=LONGEST, help="pulls")
    run: int = parameter(0, low=0, most=MOST_RUNS, help="index of the replication")
    seed: int = parameter(0, low=0, help="random seed")
    rows: int = parameter(60, low=1, help="number of printed steps, from the start and the end")

    figures = (Figure("trace", "steps.parquet", draw_steps, size=(7.6, 7.4), panels=True),)
    sheets = (STEPS, LOG_SHEET)
    notes = staticmethod(notes)
    embedded = staticmethod(recording_of_trace)

    def prepare(self) -> None:
        self.bandit.probe(self.arms)
        check_pair(self.bandit.policy, self.arms, self.horizon)
        check_traced(self.arms, self.horizon)
        self.delivery.check(self.horizon)

    def announce(self) -> None:
        say(problem_of(self.arms))

    def tasks(self, folder: Path) -> list[Task]:
        what = (self.bandit.policy, self.arms, self.horizon, self.seed, self.run, self.delivery)
        return [Task(folder / SHARDS / "steps.parquet", play_trace, what, self.horizon)]

    @property
    def executor_used(self) -> Executor:
        return Serial()

    def tables(self, folder: Path) -> dict[str, Any]:
        (task,) = self.tasks(folder)
        table = tables.read(task.path)
        tables.write(table, folder / "steps.parquet")
        tables.write(table, folder / "steps.csv")
        policy = f"{self.bandit.label}: {self.bandit.policy.formula}"
        late = f"{self.delivery.title}; " if self.delivery.title else ""
        return {
            "seed": self.seed,
            "timings": {},
            "arms": store_arms(self.arms, folder),
            "delivery": self.delivery.title,
            "means": self.arms.draw_means(self.seed, self.run, 1)[0].tolist(),
            "policy": policy,
            "run": self.run,
            "forgets": self.bandit.policy.forgets,
            "rule": describe_policy(self.bandit.policy),
            "law": type(self.arms).__name__,
            "rows": self.rows,
            "title": f"{policy}; {late}replication {self.run}, seed {self.seed}",
        }


def play_trace(path: Path, policy: Policy, arms: Arms, horizon: int, seed: int, run: int, delivery: Delivery) -> None:
    """Play replication number `run` and store its steps."""
    tables.write(trace(policy, arms, horizon, seed, run, delivery=delivery).to_frame(), path)
