"""What people read of best-arm identification: the table of a run and of a sweep, and what they must know first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine.manifest import read_manifest
from experiments.engine.sweep.table import TABLE, Quantity, Setting, Sweep, join, span_text
from numerics.output import tables
from numerics.output.figures import Facts
from numerics.output.sheets import Column, Sheet, ends_text, interval, margin, number, share, word
from numerics.statistics.means import METHOD

if TYPE_CHECKING:
    import pandas as pd


def _is_capped(frame: pd.DataFrame) -> bool:
    """Return whether every replication had as many pulls as its budget."""
    return bool(frame["met_cap"].min() == 1.0)


def _is_fixed(frame: pd.DataFrame, facts: Facts) -> bool:
    """Return whether pulls were a budget, and not what a rule that stopped nothing left."""
    return _is_capped(frame) and facts["stopping"] == "budget"


def title(frame: pd.DataFrame, facts: Facts) -> str:
    """Return what was played, and what the intervals are."""
    runs, bound = f"{frame['runs'].iloc[0]:,} replications", facts["bound"]
    right = f"an arm within {facts['epsilon']:g} of the best" if facts["epsilon"] else "the best arm"
    wrong = f"wrong: did not choose {right}, with a Clopper-Pearson interval"
    if _is_fixed(frame, facts):
        return f"{runs} of {facts['most']:,} pulls; {wrong}"
    least = f"; lower bound for any rule with this delta: {bound:,.0f} pulls on average" if bound else ""
    return (
        f"{runs}, stopped by {facts['stopping']}, cap {facts['most']:,} pulls{least}; mean pulls with "
        f"their 95 % interval ({METHOD}); {wrong}"
    )


def columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    """Return the columns of a run, without pulls where all replications have the same."""
    fixed = _is_fixed(frame, facts)
    over = [number("over the bound", "over_bound", ".2f")] if facts["bound"] else []
    stopped = [
        margin("pulls", "pulls", ",.0f"),
        *over,
        Column("5 to 95 %", lambda row: ends_text(row["pulls_q05"], row["pulls_q95"], ",.0f"), "pulls_q05", optional=1),
        interval("median", "pulls_q50", ",.0f", optional=4),
        interval("95 % quantile", "pulls_q95", ",.0f", optional=5),
        share("reached the cap", "met_cap", optional=2),
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
            f"{facts['stopping']} has no proved guarantee. Error rates below {facts['delta']:g} are only observed here."
        )
    if facts["stopping"] == "budget":
        return sentences
    cut = summary["policy"][summary["met_cap"] > 0.0]
    if len(cut):
        sentences.append(
            f"{', '.join(cut)}: some replications reached the cap of {facts['most']:,} pulls. The mean number of "
            "pulls is "
            "therefore too low, and the chosen arms of these replications have no guarantee."
        )
    return sentences


def _replications(table: pd.DataFrame) -> str:
    return f"{span_text(table['runs'])} replications"


_EXACT, _OF_MEAN = "whiskers: 95 % intervals (Clopper-Pearson)", "mean with 95 % interval"


def _title_of_figures(table: pd.DataFrame, settings: Sequence[Setting]) -> str:
    facts = read_manifest(settings[0].folder) or {}
    return f"{'Errors' if _is_capped(table) else 'Pulls until sure'}: {facts['arms']['title']}"


def _columns_of_sweep(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    swept = [word(key) for key in facts["varied"] if key in frame and key != "policy"]
    run = (read_manifest(facts["jobs"][0].folder) or {}) | dict(facts)
    return [*swept, *(column for column in columns(frame, run) if column.head != "formula")]


def _title_of_sweep(frame: pd.DataFrame, facts: Facts) -> str:
    return f"{_replications(frame)}; wrong: with a Clopper-Pearson interval"


SWEEP = Sweep(
    lambda settings: join(settings, "summary.csv"),
    (
        Quantity("errors", "wrong", "wrong arm (%)", _EXACT, _replications, scale=100.0, when=_is_capped),
        Quantity(
            "pulls", "pulls_mean", "pulls until sure", _OF_MEAN, _replications, when=lambda of: not _is_capped(of)
        ),
    ),
    _title_of_figures,
    sheets=(Sheet(TABLE, _title_of_sweep, _columns_of_sweep),),
)
