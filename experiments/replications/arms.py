"""The description of a run's arms for tables, figures and readers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandits import Arms, Policy, theory
from bandits.arms.from_log import LEVEL, LoggedBernoulli
from bandits.logs.rows import shorten
from bandits.theory import linucb_bound
from experiments.engine.printing import say
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
    needed = facts["arms"].get("needed", "")  # not in runs of an earlier version
    title = f"arms by estimated mean; {100 - 100 * LEVEL:.0f} % intervals of each alone (Clopper and Pearson){more}"
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


def similar_names(names: Iterable[str]) -> list[str]:
    """Return the names of arms that may be meant to be the same: in other letters, or another form of a number.

    Examples
    --------
    >>> similar_names(["Red", "blue", "red", "1", "2", "01", "1.0"])
    ['Red, red', '1, 01, 1.0']
    """
    groups: dict[str | float, list[str]] = {}
    for name in names:
        try:
            meant: str | float = float(name)
        except ValueError:
            meant = " ".join(name.casefold().split())
        groups.setdefault(meant, []).append(name)
    return [", ".join(group) for group in groups.values() if len(group) > 1]


def on_few_rows(log: pd.DataFrame) -> str:
    """Return a sentence about the arms of a log whose intervals are wider than their rates; empty if there are none.

    An interval of 95 % is wider than the rate of the rarer result while that was seen fewer than about 18 times.
    """
    rate = log["mean"].where(log["mean"] <= 0.5, 1.0 - log["mean"])
    few = log[log["high"] - log["low"] > rate]
    if few.empty:
        return ""
    least = few.sort_values("impressions", kind="stable").to_dict("records")[0]
    name, count = shorten(str(least["name"])), int(least["impressions"])
    shown = f"{count:,} impression{'s' * (count > 1)}"
    if len(few) == 1:
        wider = "its mean" if least["mean"] <= 0.5 else "its rate of failures"
        ends = ends_text(least["low"], least["high"], ".4f")
        return f"Arm {name} rests on {shown}, too few: its interval, {ends}, is wider than {wider}."
    return (
        f"{len(few):,} of {len(log):,} arms rest on too few impressions, arm {name} on {shown}: their intervals are "
        "wider than their means, or than their rates of failures."
    )


def say_problem(arms: Arms) -> None:
    """Print a description of the arms, or the summary of their click log."""
    say(note_of(arms) or arms.describe())


def note_of(arms: Arms) -> str | None:
    """Return the summary of a click log, where the arms come from one."""
    return arms.log.summary() if isinstance(arms, LoggedBernoulli) else None


def describe_arms(arms: Arms) -> dict[str, Any]:
    """Return the facts about the arms that figures and readers need, as plain values; missing numbers are None."""
    constants = {"lai_robbins": theory.lai_robbins_constant(arms), "uniform": arms.uniform_regret()}
    return {
        "description": arms.describe(),
        "title": arms.title,
        "law": arms.law_class,
        "names": list(arms.names),
        "estimated": arms.estimated,
        "no_bound": arms.no_bound,
        "needed": arms.log.needed() if isinstance(arms, LoggedBernoulli) else "",
        **{name: value if value == value else None for name, value in constants.items()},
        **({"moments": list(arms.moments)} if arms.changing else {}),
    }


def beyond_theory(policies: Mapping[str, Policy], arms: Arms) -> str:
    """Return a sentence that names the policies whose theorems do not cover these arms; empty if there are none."""
    named = [label for label, policy in policies.items() if policy.unit_theory]
    if arms.unit_rewards or not named:
        return ""
    return f"What is proved of {' and '.join(named)} is for rewards in [0, 1]; these arms pay beyond."


def proved_regret(policies: Mapping[str, Policy], arms: Arms, horizon: int) -> list[str]:
    """Return a sentence for each policy whose regret is proved to stay below what any policy may lose."""
    bounds = {label: linucb_bound(policy, arms, horizon) for label, policy in policies.items()}
    return [
        f"The regret of {label} is at most {bound:,.0f} in at least 95 of 100 replications, as Abbasi-Yadkori, Pal and "
        "Szepesvari proved (2011, Theorem 3 in K d dimensions)."
        for label, bound in bounds.items()
        if bound < horizon * arms.largest_gap
    ]


def write_log(arms: Arms, folder: Path) -> None:
    """Write the summary of every arm of a click log, if the arms come from one."""
    if isinstance(arms, LoggedBernoulli):
        tables.write(arms.log.table(), folder / LOG)
