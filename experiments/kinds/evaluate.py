"""What other policies would have earned than the one that wrote a log, or why the log cannot say."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from bandits.evaluation import intervals
from bandits.evaluation.estimators import ESTIMATORS
from bandits.evaluation.evaluate import (
    ANSWERED,
    LOGGED,
    MEAN,
    NO_POLICY,
    REPLAY,
    Question,
    check_learner,
    check_question,
    learned_values,
    logged_value,
    named_columns,
    row_of,
    value_of,
)
from bandits.evaluation.limits import doubt
from bandits.evaluation.replay import REPLAYS
from bandits.evaluation.reward_models import MEANS, MODELS
from bandits.evaluation.targets import LEARNERS, TARGETS, Target
from bandits.figures.log_shape import draw_propensities, draw_shares
from bandits.logs import shape
from bandits.logs.forms import LogForm
from bandits.logs.journal import pin
from bandits.logs.log import Log
from experiments.engine.executors import Executor
from experiments.engine.experiment import SHARDS, Choice, Experiment, group, list_of
from experiments.engine.families import EXECUTOR, LOG, POLICY, LabelledPolicy
from experiments.engine.tasks import Task
from numerics.checks import prefix_errors
from numerics.output import tables
from numerics.output.captions import called_all
from numerics.output.figures import Caption, Facts, Figure
from numerics.output.plots import estimates as columns_of
from numerics.output.plots import rows
from numerics.output.scales import Scale
from numerics.output.sheets import MISSING, Column, Sheet, ends_text, interval_ends, is_known, share, word, write_number
from numerics.output.style import GREY, SMALL
from numerics.parameters import parameter

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

RARE = 0.1  # where a value is below it, and none above 1, all stand per 1,000 rows
NONE = "no number"
FEW = ", few pay"  # stands behind an interval that rests on few rows that pay


class LabelledTarget(NamedTuple):
    """A policy to evaluate, its label, and where it stands in the configuration."""

    label: str
    target: Target
    key: str


LEARNING = dataclasses.replace(POLICY, family=LEARNERS, least=0)
FIXED = Choice(TARGETS, LabelledTarget, labelled=True, least=0, settle=pin)


class Unit(NamedTuple):
    """What values are counted in: a factor, its words, and the format of a number."""

    scale: float
    words: str
    form: str


def unit_of(estimates: pd.DataFrame) -> Unit:
    """Return the unit of all values of a table; its numbers have two figures of the narrowest interval.

    Examples
    --------
    >>> unit_of(tables.table_of({"value": [0.0069], "value_low": [0.0053], "value_high": [0.0087]}))
    Unit(scale=1000.0, words='per 1,000 rows', form=',.1f')
    """
    value, low, high = columns_of(estimates, "value")
    largest = np.nanmax(np.abs([value, low, high]), initial=0.0)
    is_rare = largest <= 1.0 and bool((np.abs(value[value != 0.0]) < RARE).any())
    scale, words = (1_000.0, "per 1,000 rows") if is_rare else (1.0, "per row")
    width = scale * (high - low)
    width = width[width > 1e-9 * scale * largest]
    if not width.size:
        return Unit(scale, words, ",.4g")
    return Unit(scale, words, f",.{max(0, 1 - math.floor(math.log10(width.min())))}f")


def _head(unit: Unit, facts: Facts) -> str:
    """Return what values are: rewards, by the name of their column if it has one, in their unit."""
    return f"{facts.get('reward', 'reward')} {unit.words}"


def _value(unit: Unit, head: str) -> Column:
    def cell(row: Mapping[Any, Any]) -> str:
        return write_number(row["value"], unit.form, unit.scale) if is_known(row["value"]) else NONE

    return Column(head, cell, "value")


def _interval_column(unit: Unit) -> Column:
    """Return the column of intervals; those that rest on few rows that pay say so."""
    column = interval_ends("95 % interval", "value", unit.form, unit.scale)

    def cell(row: Mapping[Any, Any]) -> str:
        text = column.cell(row)
        return text + FEW if row["warning"] != ANSWERED and text != MISSING else text

    return dataclasses.replace(column, cell=cell)


def _rows(row: Mapping[Any, Any]) -> str:
    of = f"{row['rows']:,.0f} rows"
    return f"{row['effective_rows']:,.0f} of {of}" if is_known(row["effective_rows"]) else of


def _weights(frame: pd.DataFrame) -> list[Column]:
    def cell(row: Mapping[Any, Any]) -> str:
        return f"{row['mean_weight']:.3f} ± {row['mean_weight_se']:.3f}" if is_known(row["mean_weight"]) else MISSING

    if not frame["mean_weight"].notna().any():
        return []
    return [
        Column("mean weight", cell, "mean_weight", optional=1),
        share("largest weight", "largest_weight", optional=2),
    ]


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    """Return what the columns say."""
    weights = (
        "; mean weight: close to 1 if the log supports the policy, with its standard error" if _weights(frame) else ""
    )
    return (
        f"estimated reward of each policy with its 95 % interval ({facts['interval']}); effective sample size: number "
        f"of on-policy rows with the same precision{weights}"
    )


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    unit = unit_of(frame)
    return [
        word("policy"),
        _value(unit, _head(unit, facts)),
        _interval_column(unit),
        Column("effective sample size", _rows, "effective_rows"),
        *_weights(frame),
        word("estimator", optional=3),
    ]


ESTIMATES = Sheet("estimates.csv", _title, _columns)


def caveats(folder: Path, facts: Facts) -> list[str]:
    """Return why policies have no number or a rough interval, what is doubtful, and which rows were left out."""
    frame = tables.read(folder / "estimates.csv")
    refused, warned = (frame[frame[name] != ANSWERED].to_dict("records") for name in ("refused", "warning"))
    sentences = [f"{row['policy']}: no number, because {row['refused']}." for row in refused]
    sentences += [f"{row['policy']}: {row['warning']}." for row in warned]
    sentences += filter(None, [facts.get("doubt")])
    if not facts.get("propensities", True):
        sentences.append(
            "The log has no propensities. The estimates are unbiased only if arms were chosen independently of "
            "everything that affects the reward. A log cannot show this."
        )
    sentences += filter(None, [facts.get("unrewarded")])
    if facts["bad"]:
        more = "; ..." if facts["bad"] > len(facts["left_out"]) else ""
        rows = "rows are" if facts["bad"] > 1 else "row is"
        sentences.append(f"{facts['bad']:,} invalid {rows} skipped: {'; '.join(facts['left_out'])}{more}.")
    return sentences


def notes(folder: Path, facts: Facts) -> list[str]:
    """Return what the log holds, what other estimators say, and over how many rows policies that learn were played."""
    frame = tables.read(folder / "estimates.csv")
    learnt = frame[frame["estimator"] == REPLAY]
    over = [f"{row['policy']}: {row['effective_rows']:,.0f}" for row in learnt.to_dict("records")]
    has_beside = frame["policy"].str.startswith(f"{LOGGED}, first ").any()
    beside = ". Compare it with the logging policy over the same number of first rows" if has_beside else ""
    replayed = (
        f"Learning policies are replayed {REPLAYS} times in random orders, on the rows whose arm they choose: "
        f"{', '.join(over)} of {facts['rows']:,} rows. Their value is the mean reward during learning{beside}."
    )
    others = _other_estimators(folder / "estimators.csv", unit_of(frame))
    return [facts["log"], *facts.get("shape", []), *others, *([replayed] if over else [])]


def _other_estimators(path: Path, unit: Unit) -> list[str]:
    """Return between which values all estimators of a policy lie, if there are several."""
    if not path.is_file():
        return []
    by_policy = tables.read(path).groupby("policy", sort=False)["value"]
    lowest, highest = by_policy.min(), by_policy.max()
    ranges = [
        f"{policy}: {ends_text(lowest[policy], highest[policy], unit.form, unit.scale)}" for policy in lowest.index
    ]
    return [f"Range over all estimators, {unit.words}: {'; '.join(ranges)} (see estimators.csv)."]


def called(log: Mapping[str, Any]) -> str:
    """Return what a report calls the log of a configuration: the name of its file, or of its agent."""
    return Path(log["path"]).name if "path" in log else f"agent {log['agent']}"


def _unrewarded(log: Log) -> str:
    """Say how many choices of an agent have no reward; empty where all have, or where they count."""
    if not log.unrewarded or log.filled is not None:
        return ""
    return (
        f"{log.unrewarded:,} choices without a reward are excluded. This biases the estimates if their rewards never "
        "arrive. If no reward means no click, give log.unrewarded=0, and log.wait=SECONDS, the longest delay of a "
        "click."
    )


def draw(estimates: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw each policy's value with its interval, and a line at what the log's own policy earned."""
    unit, names = unit_of(estimates), called_all(estimates["policy"])
    numbers = columns_of(estimates, "value", unit.scale)
    scale = Scale(_head(unit, facts), log=False)
    rows(axes, [names[name] for name in estimates["policy"]], (numbers, {}), scale=scale)
    for row in np.flatnonzero(np.isnan(numbers[0])).tolist():
        where: Any = {"transform": axes.get_yaxis_transform(), "va": "center_baseline", "backgroundcolor": "white"}
        axes.text(0.02, row, NONE, fontsize=SMALL, color=GREY, **where)
    if facts["logged"] is not None:
        axes.axvline(unit.scale * facts["logged"], color="0.4", linestyle="--", linewidth=1.0)
    line = "" if facts["logged"] is None else "; dashed: mean reward of the logging policy"
    return Caption(f"Bars: 95 % intervals ({facts['interval']}){line}", "What policies would have earned")


class Evaluate(Experiment, name="evaluate"):
    """What other policies would have earned than the one that wrote a log, with intervals, or why it cannot say."""

    log: LogForm = group(LOG)
    policies: Sequence[LabelledTarget] = list_of(FIXED)
    learners: Sequence[LabelledPolicy] = list_of(LEARNING)
    executor: Executor = group(EXECUTOR)
    estimator: str | None = parameter(None, choices=ESTIMATORS, help="null: dr, and dm for a log without propensities")
    interval: str = parameter("student", choices=intervals.INTERVALS, help="how the 95 % interval is made")
    clip: float | None = parameter(
        None, low=0.0, above=True, help="weights are clipped here by some estimators; null: sqrt(rows)"
    )
    bounds: list[float] = parameter([], help="least and largest possible reward; [0,1] if all logged rewards lie there")
    model: str = parameter(
        MEANS, choices=MODELS, help="reward model of dm and dr: the mean of each arm, or a regression on features"
    )
    seed: int = parameter(0, low=0, help="decides all random numbers")

    unit = "policies"
    summary: ClassVar[str | None] = "estimates.csv"
    headline = staticmethod(lambda settings: f"What policies would have earned: {called(settings['log'])}")
    figures = (
        Figure(
            "values",
            "estimates.csv",
            draw,
            size=lambda estimates, facts: (7.6, 1.6 + 0.4 * len(estimates)),
            when=lambda estimates, facts: bool(estimates["value"].notna().any()),
        ),
        Figure(
            "shares",
            "shares.csv",
            lambda shares, axes, facts: draw_shares(shares, axes, arms=facts["arms"], timed=facts["timed"]),
            size=(7.6, 4.0),
            when=lambda shares, facts: shares["begin"].nunique() > 1,
        ),
        Figure(
            "propensities",
            "propensities.csv",
            lambda bins, axes, facts: draw_propensities(bins, axes, arms=facts["arms"]),
            size=(7.6, 3.4),
        ),
    )
    sheets = (ESTIMATES,)
    caveats = staticmethod(caveats)
    notes = staticmethod(notes)

    def prepare(self) -> None:
        if not self.policies and not self.learners:
            raise ValueError(NO_POLICY)
        if len(self.bounds) not in (0, 2):
            raise ValueError(f"bounds must hold two numbers, the least and the largest reward; got {self.bounds}")
        with prefix_errors("log"):
            log = self.log.read()
        for entry in self.policies:
            with prefix_errors(entry.key):
                entry.target.probabilities(self.log.read(entry.target.log_columns))
        self._question()
        for learner in self.learners:
            check_learner(learner.key, log, learner.policy)

    @property
    def _columns(self) -> tuple[str, ...]:
        """The columns of all policies: a row that is wrong in one of them is left out for all."""
        return named_columns(entry.target for entry in self.policies)

    def _question(self, estimator: str | None = None) -> Question:
        bounds = (self.bounds[0], self.bounds[1]) if self.bounds else None
        return check_question(
            self.log.read(self._columns), estimator or self.estimator, self.interval, self.clip, bounds, self.model
        )

    def tasks(self, folder: Path) -> list[Task]:
        question, shards = self._question(), folder / SHARDS
        asked: list[tuple[Any, ...]] = [
            (estimate, (entry.label, entry.target, self.log, self._columns, question)) for entry in self.policies
        ]
        asked += [
            (learn, (entry.label, entry.policy, self.log, self._columns, self.seed, question))
            for entry in self.learners
        ]
        return [Task(shards / f"{at:03d}.parquet", *what) for at, what in enumerate(asked)]

    def tables(self, folder: Path) -> dict[str, Any]:
        log = self.log.read(self._columns)
        frame = tables.join_tables([tables.read(task.path) for task in self.tasks(folder)])
        chosen = frame[frame["chosen"] == 1].drop(columns="chosen")
        if log.rewards is None:
            chosen = tables.join_tables([tables.table_of([row_of(logged_value(log, self._question()))]), chosen])
        chosen = chosen[(chosen["estimator"] != MEAN) | ~chosen["policy"].duplicated(keep="last")]  # of many learners
        tables.write(chosen.reset_index(drop=True), folder / "estimates.csv")
        every = frame[~frame["estimator"].isin([REPLAY, MEAN]) & (frame["refused"] == ANSWERED)].reset_index(drop=True)
        if every["estimator"].nunique() > 1:
            tables.write(every[["policy", "estimator", "value", "value_low", "value_high"]], folder / "estimators.csv")
        shapes = {"arms.csv": shape.arms_of(log), "shares.csv": shape.shares_of(log)}
        shapes["propensities.csv"] = shape.propensities_of(log)
        for name, table in shapes.items():
            if table is not None:
                tables.write(table, folder / name)
        learners = "; student for policies that learn" if self.learners and self.interval != "student" else ""
        return {
            "seed": self.seed,
            "timings": {},
            "log": log.describe(),
            "shape": shape.sentences_of(log),
            "doubt": doubt(log),
            "reward": getattr(self.log, "reward_column", "reward"),
            "arms": len(log.names),
            "timed": log.time is not None,
            "rows": len(log),
            "logged": None if log.rewards is not None else log.value,
            "interval": f"{self.interval}{learners}",
            "propensities": log.rewards is not None or log.propensity is not None,
            "left_out": list(log.left_out),
            "bad": log.bad,
            "unrewarded": _unrewarded(log),
        }


def estimate(
    path: Path, label: str, target: Target, file: LogForm, columns: tuple[str, ...], question: Question
) -> None:
    """Write the value of a policy by the chosen estimator, and by all others that the log can answer."""
    log, chosen = file.read(columns), question[0]
    others = [] if log.rewards is not None or log.propensity is None else ESTIMATORS
    rows = []
    for name in dict.fromkeys([chosen, *others]):
        value = value_of(log, label, target, name, *question[1:])
        rows.append(row_of(value) | {"chosen": int(name == chosen)})
    tables.write(tables.table_of(rows), path)


def learn(
    path: Path, label: str, policy: Any, file: LogForm, columns: tuple[str, ...], seed: int, question: Question
) -> None:
    """Write what a policy that learns earns in replays of the log, and what the log's own did in as many rows."""
    values = learned_values(file.read(columns), label, policy, seed, question)
    tables.write(tables.table_of([row_of(value) | {"chosen": 1} for value in values]), path)
