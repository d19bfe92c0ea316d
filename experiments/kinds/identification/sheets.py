"""What people read of best-arm identification: its table, and what they must know first."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numerics.output import tables
from numerics.output.cells import ends_text
from numerics.output.figures import Facts
from numerics.output.sheets import Column, Sheet, interval, margin, number, share, word
from numerics.statistics.means import METHOD

if TYPE_CHECKING:
    import pandas as pd


def _is_right(facts: Facts) -> str:
    epsilon = facts["epsilon"]
    return "the best arm" if not epsilon else f"an arm within {epsilon:g} of the best"


def _is_fixed(frame: pd.DataFrame, facts: Facts) -> bool:
    """Return whether pulls were a budget, and not what a rule that stopped nothing left."""
    return bool(frame["met_cap"].min() == 1.0) and facts["stopping"] == "budget"


def title(frame: pd.DataFrame, facts: Facts) -> str:
    """Return what was played, and what the intervals are."""
    runs, bound = f"{frame['runs'].iloc[0]:,} replications", facts["bound"]
    wrong = f"wrong: not {_is_right(facts)}, with Clopper and Pearson's interval"
    if _is_fixed(frame, facts):
        return f"{runs} of {facts['most']:,} pulls; {wrong}"
    least = f"; no rule of this delta needs fewer than {bound:,.0f} pulls on average" if bound else ""
    return (
        f"{runs}, stopped by {facts['stopping']}, at the latest after {facts['most']:,} pulls{least}; mean pulls with "
        f"their 95 % interval ({METHOD}); {wrong}"
    )


def columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    """Return the columns of a run, without pulls where all replications have the same."""
    fixed = _is_fixed(frame, facts)
    over = [number("over the bound", "over_bound", ".2f")] if facts["bound"] else []
    quantiles = [
        interval("median", "pulls_q50", ",.0f", optional=4),
        interval("95 % quantile", "pulls_q95", ",.0f", optional=5),
    ]
    stopped = [
        margin("pulls", "pulls", ",.0f"),
        *over,
        Column("5 to 95 %", lambda row: ends_text(row["pulls_q05"], row["pulls_q95"], ",.0f"), "pulls_q05", optional=1),
        *(quantiles if "pulls_q50_low" in frame else []),  # which a table of an older version lacks
        share("met the cap", "met_cap", optional=2),
    ]
    return [
        word("policy"),
        word("formula", optional=3),
        *([] if fixed else stopped),
        interval("wrong, %", "wrong", ".2f", 100),
        number("simple regret", "simple_regret_mean", ".5f", optional=2),
    ]


SUMMARY = Sheet(
    "summary.csv",
    title,
    columns,
    read=lambda folder, facts: tables.read(folder / "summary.csv").sort_values(["pulls_mean", "wrong"], kind="stable"),
)


def caveats(folder: Path, facts: Mapping[str, Any]) -> list[str]:
    """Return what a reader must know: rules that prove nothing, replications that were cut."""
    summary = tables.read(folder / "summary.csv")
    sentences = []
    if not facts["proved"] and facts["delta"]:
        sentences.append(
            f"{facts['stopping']} is not proved: that errors stay below {facts['delta']:g} here is an observation."
        )
    if facts["stopping"] == "budget":
        return sentences
    never = summary[summary["met_cap"] == 1.0]
    if len(never):
        sentences.append(
            f"{', '.join(never['policy'])}: {facts['stopping']} stopped no replication within {facts['most']:,} pulls."
        )
    cut = summary[(summary["met_cap"] > 0.0) & (summary["met_cap"] < 1.0)]
    if len(cut):
        sentences.append(
            f"{', '.join(cut['policy'])}: some replications met the cap of {facts['most']:,} pulls, so the mean is too "
            "low, and their arm is a guess."
        )
    return sentences
