"""How people read root regret: a table of the policies, and in words how a tree differs from bandits without one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.kinds.root_regret.arms import EXACT, PLAYOUTS, TREE
from experiments.kinds.root_regret.tables import ALL, RIGHT, WRONG
from numerics.output import tables
from numerics.output.sheets import Column, Facts, Row, Sheet, interval, number, word

if TYPE_CHECKING:
    import pandas as pd

_NAMES = {TREE: "tree", PLAYOUTS: "bandit of playouts", EXACT: "bandit of exact values"}
_LARGE = 100.0  # regret that is written without decimals


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return the rows of all positions, and of a tree those by what playouts say at first, policy by policy."""
    summary = tables.read(folder / "summary.csv")
    shown = summary[(summary["group"] == ALL) | (summary["arms"] == TREE)]
    order = {policy: place for place, policy in enumerate(shown["policy"].unique())}
    rows: pd.DataFrame = shown.sort_values("policy", key=lambda names: names.map(order), kind="stable")
    return rows


def _arms(row: Row) -> str:
    return _NAMES[row["arms"]] + ("" if row["group"] == ALL else f", playouts {row['group']}")


def _regret(row: Row) -> str:
    return interval("", "regret", ",.0f" if row["regret"] >= _LARGE else ".1f").cell(row)


SUMMARY = Sheet(
    "summary.csv",
    lambda frame, facts: (
        f"the root after {frame['n'].iloc[0]:,} simulations of its moves; intervals: 95 %, over positions"
    ),
    (
        word("policy"),
        Column("arms", _arms, number=False),
        number("positions", optional=2),
        Column("regret L", _regret, "regret"),
        interval("x in L ~ n^x", "growth", ".2f", optional=1),
        interval("on optimal moves, %", "optimal_share", scale=100),
        interval("recommends one, %", "recommended_optimal", scale=100),
    ),
    read=_read,
    group=lambda row: row["policy"],
)


def notes(folder: Path, facts: Facts) -> list[str]:
    """Return what is seen, in words: of the policy of the lowest regret in a tree, and where playouts mislead it."""
    summary = tables.read(folder / "summary.csv")
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
