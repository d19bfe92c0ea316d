"""What root regret prints: a table of the policies, and in words how a tree differs from the bandits without one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.engine import console as report
from experiments.kinds.root_regret.arms import EXACT, PLAYOUTS, TREE
from experiments.kinds.root_regret.tables import ALL, RIGHT, WRONG
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd

_NAMES = {TREE: "tree", PLAYOUTS: "bandit of playouts", EXACT: "bandit of exact values"}


def say_results(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the summary of a run folder, in a table and in words, and where its tables and figures lie."""
    summary = tables.read(folder / "summary.csv")
    report.console().print(summary_table(summary))
    for sentence in sentences(summary):
        report.say(sentence)
    report.say_places(folder)


def summary_table(summary: pd.DataFrame) -> Any:
    """Return the printed form of the summary: all positions, and those of a tree by what playouts say at first."""
    from rich.table import Table

    table = Table(
        title=f"the root after {summary['n'].iloc[0]:,} simulations of its moves; intervals: 95 %, over positions",
        title_justify="left",
    )
    table.add_column("policy", overflow="fold")
    table.add_column("arms")
    for name in ("positions", "regret L", "x in L ~ n^x", "on optimal moves, %", "recommends one, %"):
        table.add_column(name, justify="right")
    shown = summary[(summary["group"] == ALL) | (summary["arms"] == TREE)]
    for policy, own in shown.groupby("policy", sort=False):
        for place, row in enumerate(own.to_dict("records")):
            group = "" if row["group"] == ALL else f", playouts {row['group']}"
            form = ",.0f" if row["regret"] >= 100.0 else ".1f"
            table.add_row(
                report.text("" if place else policy),
                f"{_NAMES[row['arms']]}{group}",
                f"{row['positions']:,}",
                _with_ends(row, "regret", form),
                _with_ends(row, "growth", ".2f"),
                _with_ends(row, "optimal_share", ".1f", 100.0),
                _with_ends(row, "recommended_optimal", ".1f", 100.0),
                end_section=place == len(own) - 1,
            )
    return table


def _with_ends(row: Mapping[Any, Any], name: str, form: str, scale: float = 1.0) -> str:
    """Write a number and its interval; a dash where it is not known."""
    middle, low, high = (scale * row[f"{name}{end}"] for end in ("", "_low", "_high"))
    if middle != middle:
        return "-"
    return f"{middle:{form}}" + (f" ({low:{form}} to {high:{form}})" if low == low else "")


def sentences(summary: pd.DataFrame) -> list[str]:
    """Return what is seen, in words: of the policy of the lowest regret in a tree, and where playouts mislead it."""
    trees = summary[(summary["arms"] == TREE) & (summary["group"] == ALL)]
    best = trees.sort_values("regret", kind="stable")["policy"].iloc[0]
    of = {(row["arms"], row["group"]): row for row in summary[summary["policy"] == best].to_dict("records")}
    tree, playouts, exact = (of[kind, ALL] for kind in _NAMES)
    most = tree["n"]
    first = max(1, most // 10)
    found = [
        f"lowest regret in a tree: {best}, {tree['regret']:,.0f} after {most:,} simulations; "
        f"{playouts['regret']:,.0f} on the bandit of playouts, {exact['regret']:,.0f} on that of exact values"
    ]
    for group, what in ((RIGHT, "an optimal move first"), (WRONG, "a move first that loses the value")):
        if (TREE, group) not in of:
            continue
        own, bandit = of[TREE, group], of[PLAYOUTS, group]
        if np.isfinite([own["growth"], bandit["growth"]]).all():
            shares = " % and ".join(f"{100 * one['recommended_optimal']:.1f}" for one in (own, bandit))
            found.append(
                f"where playouts rank {what} ({own['positions']:,} of {tree['positions']:,} positions), from {first:,} "
                f"to {most:,} simulations the regret of {best} grew as n^{own['growth']:.2f} in a tree and as "
                f"n^{bandit['growth']:.2f} on the bandit of playouts; it recommends an optimal move in {shares} %"
            )
    if first > 1:
        logarithm = np.log(np.log(most) / np.log(first)) / np.log(most / first)
        found.append(f"moves at random grow as n^1; ln n as n^{logarithm:.2f} there")
    return found
