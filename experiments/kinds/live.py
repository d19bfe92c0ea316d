"""What a running agent has done so far: its arms, its choices over time, and the rewards that are pending."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from bandits.figures.live import draw_ages, draw_live_means, draw_propensities_over_time
from bandits.figures.log_shape import draw_shares
from bandits.live.course import (
    ages_of,
    bounds_of,
    is_pending,
    is_timed,
    means_of,
    periods_of,
    propensities_over_time,
    summary_of,
)
from bandits.live.summary import SHEET
from bandits.logs import shape
from bandits.logs.forms import LogForm
from bandits.logs.journal import Journal
from experiments.engine.executors import Executor
from experiments.engine.executors.serial import Serial
from experiments.engine.experiment import SHARDS, Experiment, group
from experiments.engine.families import LOG
from experiments.engine.tasks import Task
from numerics.checks import prefix_errors
from numerics.output import tables
from numerics.output.figures import Facts, Figure
from numerics.output.sheets import is_known

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

_SURE = 0.999  # chances above it are not told apart
_LOST = 0.1  # of all choices: more that have no reward call for a caveat
_PARTS = {
    "arms.parquet": summary_of,
    "means.parquet": means_of,
    "propensities.parquet": propensities_over_time,
    "ages.parquet": ages_of,
}


def caveats(folder: Path, facts: Facts) -> list[str]:
    """Return what must be known before the numbers are relied on."""
    sentences = []
    if not facts["rewards"]:
        sentences.append("No reward has been reported yet, so nothing is known about the arms.")
    elif facts["pending"] > _LOST * facts["choices"]:
        sentences.append(
            f"{facts['pending']:,} of {facts['choices']:,} choices have no reward yet. Means use reported rewards "
            "only. If a missing reward means 0, report a reward of 0 to the agent."
        )
    return sentences


def notes(folder: Path, facts: Facts) -> list[str]:
    """Return who the agent is, what stopping now would cost, and how to read the intervals."""
    sentences = [facts["agent"], *_best(tables.read(folder / "arms.csv"))]
    if facts["bounded"]:
        sentences.append(
            "The intervals of the means are valid at any time. Each holds with 95 % confidence for its own arm."
        )
    forgotten = facts["forgotten"]
    if forgotten:
        sentences.append(f"{forgotten:,} choices were forgotten: their rewards are no longer expected.")
    up_to = facts["up_to"]
    return [*sentences, f"To reproduce this report: log.up_to={up_to} (the last event that was read)."]


def _best(frame: pd.DataFrame) -> list[str]:
    """Say which arm is the best so far, and what it would cost to choose it from now on."""
    known = [row for row in frame.to_dict("records") if is_known(row["best"])]  # those of retired arms are not
    if not any(row["pulls"] for row in known):
        return []
    best = min(known, key=lambda row: float(row["loss"]))
    chance = f"{100.0 * best['best']:.3g} %" if best["best"] < _SURE else f"more than {100.0 * _SURE:g} %"
    return [
        f"If learning stopped now, {best['arm']} would be chosen. It is the best arm with probability {chance}, and "
        f"the expected loss is {best['loss']:.2g} per choice."
    ]


class Live(Experiment, name="live"):
    """What a running agent has done so far: its arms, its choices over time, and the rewards that are pending."""

    log: LogForm = group(LOG)

    unit = "tables"
    summary: ClassVar[str | None] = "arms.csv"
    headline = staticmethod(lambda settings: f"Agent {settings['log'].get('agent')}")
    figures = (
        Figure(
            "means",
            "means.csv",
            lambda means, axes, facts: draw_live_means(
                means, axes, edges=facts["edges"], timed=facts["timed"], arms=facts["arms"]
            ),
            size=(7.6, 4.4),
            when=lambda means, facts: means["at"].nunique() > 1,
        ),
        Figure(
            "shares",
            "shares.csv",
            lambda shares, axes, facts: draw_shares(
                shares, axes, arms=facts["arms"], timed=facts["timed"], rows_are="choices"
            ),
            size=(7.6, 4.0),
            when=lambda shares, facts: shares["begin"].nunique() > 1,
        ),
        Figure(
            "propensities",
            "propensities.csv",
            lambda quantiles, axes, facts: draw_propensities_over_time(
                quantiles, axes, arms=facts["arms"], timed=facts["timed"]
            ),
            size=(7.6, 3.6),
            when=lambda quantiles, facts: (quantiles["choices"] > 0).sum() > 1,
        ),
        Figure(
            "pending",
            "ages.csv",
            lambda ages, axes, facts: draw_ages(ages, axes),
            size=(7.6, 3.4),
            when=lambda ages, facts: bool(ages["pending"].sum()),
        ),
    )
    sheets = (dataclasses.replace(SHEET, table="arms.csv"),)
    caveats = staticmethod(caveats)
    notes = staticmethod(notes)

    def prepare(self) -> None:
        if not isinstance(self.log, Journal):
            raise ValueError(f"log must be a journal, as log=journal log.url=URL log.agent=NAME; got {self.log.name}")
        if self.log.unrewarded is not None:
            raise ValueError(f"log.unrewarded must be null for a report; got {self.log.unrewarded:g}")
        if self.log.wait:
            raise ValueError(f"log.wait must be 0 for a report; got {self.log.wait:g}")
        with prefix_errors("log"):
            self._filled.read()

    @property
    def _filled(self) -> Journal:
        """The journal where choices without a reward count, as they are choices too."""
        return dataclasses.replace(cast("Journal", self.log), unrewarded=0.0)

    def source_fingerprint(self) -> str:
        return self._filled.fingerprint()

    @property
    def executor_used(self) -> Executor:
        return Serial()

    def tasks(self, folder: Path) -> Sequence[Task]:
        return [Task(folder / SHARDS / name, write_part, (self.log,)) for name in _PARTS]

    def tables(self, folder: Path) -> dict[str, Any]:
        for task in self.tasks(folder):
            tables.write(tables.read(task.path), folder / f"{task.path.stem}.csv")
        journal = cast("Journal", self.log)
        history, log = journal.history(), self._filled.read()
        shares = shape.shares_of(log)
        if shares is not None:
            tables.write(shares, folder / "shares.csv")
        description, choices, pending = history.description, int(history.arm.size), int(is_pending(history).sum())
        rewards = int((history.reward_rank >= 0).sum())
        edges = periods_of(history)
        floor = f", floor {description['floor']:g}" if description["floor"] else ""
        return {
            "seed": description["seed"],
            "timings": {},
            "agent": f"Agent {journal.agent}: {description['policy']} on {len(log.names):,} arms{floor}; "
            f"{choices:,} choices, {rewards:,} rewards.",
            "title": f"{description['policy']}: {choices:,} choices, {pending:,} rewards pending",
            "choices": choices,
            "rewards": rewards,
            "pending": pending,
            "forgotten": int(history.forgotten.sum()),
            "up_to": journal.up_to,
            "arms": len(history.names),
            "timed": is_timed(history),
            "edges": [float(edges[0]), float(edges[-1])],
            "bounded": bounds_of(history) is not None,
        }


def write_part(path: Path, journal: Journal) -> None:
    """Write one table of a running agent."""
    tables.write(_PARTS[path.name](journal.history()), path)
