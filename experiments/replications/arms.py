"""The description of a run's arms for tables, figures and readers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandits import Arms, theory
from bandits.arms.from_log import LEVEL, LoggedBernoulli
from bandits.logs.rows import shorten
from numerics.output import tables
from numerics.output.sheets import Column, Facts, Sheet, ends_text, number

if TYPE_CHECKING:
    import pandas as pd

LOG = "log.csv"
_MOST_ARMS = 50  # of a log in its sheet
_NAME = 120  # letters of an arm's name there


def _log_title(frame: pd.DataFrame, facts: Facts) -> str:
    rest = len(facts["arms"]["names"]) - len(frame)
    more = f"; {rest:,} more {'arm is' if rest == 1 else 'arms are'} in {LOG}" if rest else ""
    needed = facts["arms"]["needed"]
    title = (
        f"arms by estimated mean; {100 - 100 * LEVEL:.0f} % intervals, not adjusted for the number of arms "
        f"(Clopper-Pearson){more}"
    )
    return f"{title}; {needed}" if needed else title


LOG_SHEET = Sheet(
    LOG,
    _log_title,
    (
        Column("arm", lambda row: shorten(row["name"], _NAME), number=False),
        number("impressions"),
        number("successes"),
        number("mean", form=".4f"),
        Column("interval", lambda row: ends_text(row["low"], row["high"], ".4f"), sort="low"),
    ),
    read=lambda folder, facts: (
        tables.read(folder / LOG).sort_values("mean", ascending=False, kind="stable").head(_MOST_ARMS)
    ),
)
"""The estimates of a click log, the best arms first."""


def on_few_rows(log: pd.DataFrame) -> str:
    """Return a sentence about the arms of a log whose intervals are wider than their rates; empty if there are none.

    An interval of 95 % is wider than the rate of the rarer result while that was seen fewer than about 18 times.
    """
    few = log[log["high"] - log["low"] > log["mean"].where(log["mean"] <= 0.5, 1.0 - log["mean"])]
    if few.empty:
        return ""
    rarest = few.sort_values("impressions", kind="stable").iloc[0]
    return (
        f"Arms with too few impressions: {len(few):,} of {len(log):,}, such as {shorten(rarest['name'])} with "
        f"{rarest['impressions']:,}. Their intervals are wider than the mean, or than one minus the mean."
    )


def problem_of(arms: Arms) -> str:
    """Return the description of the arms, or the summary of their click log."""
    return arms.log.summary() if isinstance(arms, LoggedBernoulli) else arms.describe()


def store_arms(arms: Arms, folder: Path) -> dict[str, Any]:
    """Write the table of a click log; return the facts about the arms that figures and readers need, as plain values.

    Missing numbers are None.
    """
    log = arms.log if isinstance(arms, LoggedBernoulli) else None
    if log is not None:
        tables.write(log.table(), folder / LOG)
    constants = {"lai_robbins": theory.lai_robbins_constant(arms), "uniform": arms.uniform_regret()}
    return {
        "description": problem_of(arms),
        "title": arms.title,
        "law": arms.law_class,
        "names": list(arms.names),
        "estimated": arms.estimated,
        "no_bound": arms.no_bound,
        "needed": "" if log is None else log.needed(),
        **{name: value if value == value else None for name, value in constants.items()},
        **({"moments": list(arms.moments)} if arms.changing else {}),
    }
