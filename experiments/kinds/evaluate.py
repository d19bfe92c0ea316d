"""What other policies would have earned than the one that wrote a log, or why the log cannot say."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits.logs import intervals
from bandits.logs.estimators import ESTIMATORS
from bandits.logs.evaluate import ANSWERED, check_question, logged_value, row_of, value_of
from bandits.logs.files import LogFile
from bandits.logs.replay import check_replay, replay
from bandits.logs.targets import Target
from experiments.engine.executors import Executor
from experiments.engine.experiment import SHARDS, Experiment, group, list_of
from experiments.engine.families import EXECUTOR, LOG, POLICY, TARGET, LabelledPolicy, LabelledTarget
from experiments.engine.tasks import Task
from numerics.checks import under
from numerics.output import tables
from numerics.output.captions import called_all
from numerics.output.cells import MISSING, known
from numerics.output.figures import Caption, Facts, Figure
from numerics.output.sheets import Column, Sheet, interval, share, word
from numerics.output.style import line_colour, plain
from numerics.parameters import parameter

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

LEARNERS = dataclasses.replace(POLICY, least=0)
REPLAY = "replay"  # the estimator of a policy that learns

Question = tuple[str, str, float, tuple[float, float] | None]


def _rows(row: Mapping[Any, Any]) -> str:
    of = f"{row['rows']:,.0f}"
    return f"{row['effective_rows']:,.0f} of {of}" if known(row["effective_rows"]) else of


def _mean_weight(row: Mapping[Any, Any]) -> str:
    if not known(row["mean_weight"]):
        return MISSING
    return f"{row['mean_weight']:.3f} ± {row['mean_weight_se']:.3f}"


def _weights(frame: pd.DataFrame) -> list[Column]:
    if not frame["mean_weight"].notna().any():
        return []
    return [
        Column("mean weight", _mean_weight, "mean_weight", optional=1),
        share("largest weight", "largest_weight", optional=2),
    ]


ESTIMATES = Sheet(
    "estimates.csv",
    lambda frame, facts: (
        f"reward a row, with its 95 % interval ({facts['interval']}); rows: how many rows of the policy itself would "
        "be as exact; mean weight: 1 where the log can answer, with its standard error"
    ),
    lambda frame, facts: [
        word("policy"),
        interval("reward a row", "value", ".4g"),
        word("estimator", optional=3),
        Column("rows", _rows, "effective_rows"),
        *_weights(frame),
    ],
)
ALL_ESTIMATES = Sheet(
    "estimators.csv",
    "the same by every estimator",
    (word("policy"), word("estimator"), interval("reward a row", "value", ".4g")),
    group=lambda row: row["policy"],
)


def caveats(folder: Path, facts: Facts) -> list[str]:
    """Return why policies have no number, and which rows of the log were left out."""
    frame = tables.read(folder / "estimates.csv")
    refused = frame[frame["refused"] != ANSWERED]
    sentences = [f"{row['policy']}: no number, because {row['refused']}." for row in refused.to_dict("records")]
    if facts["bad"]:
        more = "; ..." if facts["bad"] > len(facts["left_out"]) else ""
        sentences.append(f"{facts['bad']:,} wrong {'rows are' if facts['bad'] > 1 else 'row is'} left out: {'; '.join(facts['left_out'])}{more}.")
    return sentences


def notes(folder: Path, facts: Facts) -> list[str]:
    """Return what the log holds, and over how many rows policies that learn were played."""
    frame = tables.read(folder / "estimates.csv")
    learnt = frame[frame["estimator"] == REPLAY]
    over = [f"{row['policy']}: {row['effective_rows']:,.0f}" for row in learnt.to_dict("records")]
    replayed = (
        f"Policies that learn are played on the rows whose arm they choose, and their reward is that while learning: "
        f"{', '.join(over)} of {facts['rows']:,} rows."
    )
    return [facts["log"], *([replayed] if over else [])]


def draw(estimates: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw each policy's value with its interval, and a line at what the log's own policy earned."""
    shown = estimates[estimates["value"].notna()].iloc[::-1]
    names, places = called_all(shown["policy"]), np.arange(len(shown))
    value, low, high = (shown[name].to_numpy(np.float64) for name in ("value", "value_low", "value_high"))
    around = np.nan_to_num(np.maximum(0.0, np.stack([value - low, high - value])))
    axes.errorbar(value, places, xerr=around, fmt="o", color=line_colour(0), capsize=3)
    axes.set_ylim(-0.6, len(shown) - 0.4)
    if facts["logged"] is not None:
        axes.axvline(facts["logged"], color="0.4", linestyle="--", linewidth=1.0)
    axes.set_xlabel("reward a row")
    plain(axes)
    axes.set_yticks(places, [names[name] for name in shown["policy"]])
    refused = int(estimates["value"].isna().sum())
    absent = f"; {refused} without a number" if refused else ""
    line = "" if facts["logged"] is None else "; dashed: the policy that wrote the log"
    return Caption(f"Bars: 95 % intervals ({facts['interval']}){line}{absent}", "What policies would have earned")


class Evaluate(Experiment, name="evaluate"):
    """What other policies would have earned than the one that wrote a log, with intervals, or why it cannot say."""

    log: LogFile = group(LOG)
    policies: Sequence[LabelledTarget] = list_of(TARGET)
    learners: Sequence[LabelledPolicy] = list_of(LEARNERS)
    executor: Executor = group(EXECUTOR)
    estimator: str | None = parameter(None, choices=ESTIMATORS, help="null: dr, and dm for a log without propensities")
    interval: str = parameter("student", choices=intervals.INTERVALS, help="how the 95 % interval is made")
    clip: float | None = parameter(None, low=0.0, above=True, help="weight at which some cut; null: sqrt(rows)")
    bounds: list[float] = parameter([], help="least and largest reward there may be; [0,1] where the log's are between")
    seed: int = parameter(0, low=0, help="decides all random numbers")

    unit = "policies"
    summary = "estimates.csv"
    figures = (
        Figure(
            "values",
            "estimates.csv",
            draw,
            size=lambda estimates, facts: (7.6, 1.6 + 0.4 * len(estimates)),
            when=lambda estimates, facts: bool(estimates["value"].notna().any()),
        ),
    )
    sheets = (ESTIMATES, ALL_ESTIMATES)
    caveats = staticmethod(caveats)
    notes = staticmethod(notes)

    def prepare(self) -> None:
        if len(self.bounds) not in (0, 2):
            raise ValueError(f"bounds must hold two numbers, the least and the largest reward; got {self.bounds}")
        with under("log"):
            log = self.log.read()
        self._question()
        for entry in self.policies:
            with under(entry.key):
                entry.target.probabilities(log.names)
        for learner in self.learners:
            try:
                check_replay(log, learner.policy)
            except ValueError as error:
                raise ValueError(f"{learner.key}: {error}") from None

    def _question(self, estimator: str | None = None) -> Question:
        bounds = (self.bounds[0], self.bounds[1]) if self.bounds else None
        return check_question(self.log.read(), estimator or self.estimator, self.interval, self.clip, bounds)

    def tasks(self, folder: Path) -> list[Task]:
        question, shards = self._question(), folder / SHARDS
        asked: list[tuple[Any, ...]] = [
            (estimate, (entry.label, entry.target, self.log, question)) for entry in self.policies
        ]
        asked += [(learn, (entry.label, entry.policy, self.log, self.seed)) for entry in self.learners]
        return [Task(shards / f"{at:03d}.parquet", *what) for at, what in enumerate(asked)]

    def tables(self, folder: Path) -> dict[str, Any]:
        log = self.log.read()
        frame = tables.joined([tables.read(task.path) for task in self.tasks(folder)])
        chosen = frame[frame["chosen"] == 1].drop(columns="chosen")
        if log.rewards is None:
            chosen = tables.joined([tables.of([row_of(logged_value(log))]), chosen])
        tables.write(chosen.reset_index(drop=True), folder / "estimates.csv")
        every = frame[(frame["estimator"] != REPLAY) & (frame["refused"] == ANSWERED)].reset_index(drop=True)
        if every["estimator"].nunique() > 1:
            tables.write(every[["policy", "estimator", "value", "value_low", "value_high"]], folder / "estimators.csv")
        return {
            "seed": self.seed,
            "timings": {},
            "log": log.describe(),
            "rows": len(log),
            "logged": None if log.rewards is not None else log.value,
            "interval": self.interval,
            "left_out": list(log.left_out),
            "bad": log.bad,
        }


def estimate(path: Path, label: str, target: Target, file: LogFile, question: Question) -> None:
    """Write the value of a policy by the chosen estimator, and by all others that the log can answer."""
    log, chosen = file.read(), question[0]
    interval_kind, clip, bounds = question[1:]
    others = [] if log.rewards is not None or log.propensity is None else ESTIMATORS
    rows = []
    for name in dict.fromkeys([chosen, *others]):
        value = value_of(log, label, target, name, interval_kind, clip, bounds)
        rows.append(row_of(value) | {"chosen": int(name == chosen)})
    tables.write(tables.of(rows), path)


def learn(path: Path, label: str, policy: Any, file: LogFile, seed: int) -> None:
    """Write what a policy that learns earns in a replay of the log."""
    log = file.read()
    played = replay(log, policy, seed)
    value, low, high = played.mean()
    row = {"policy": label, "estimator": REPLAY, "value": value, "value_low": low, "value_high": high}
    row |= {"rows": len(log), "effective_rows": float(played.reward.size)}
    row |= dict.fromkeys(("mean_weight", "mean_weight_se", "largest_weight", "thin"), np.nan)
    tables.write(tables.of([row | {"refused": played.refusal() or ANSWERED, "chosen": 1}]), path)
