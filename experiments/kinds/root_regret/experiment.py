"""The root of a search as a bandit with known means: regret against simulations, in a tree and on stationary bandits.

Every policy searches every position of a fixed set whose moves have exact scores, and plays the two bandits of
`experiments.kinds.root_regret.arms` once for each position, on the same random streams. Where the curves of the tree
are those of a bandit, its root behaves as theory says; where they are not, its arms have drifted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits.bounds import can_lock
from connect4 import notation
from experiments.engine import printing
from experiments.engine.executors import Executor
from experiments.engine.experiment import SHARDS, Experiment, group, list_of
from experiments.engine.families import EXECUTOR, POLICY, LabelledPolicy
from experiments.engine.tasks import Task, parts_of
from experiments.graded_positions.positions import WIDTH, graded_positions
from experiments.kinds.root_regret import root_regret_figures, root_regret_tables
from experiments.kinds.root_regret.arms import EXACT, KINDS, PLAYOUTS, TREE, Root, over_columns, steps_of
from experiments.kinds.root_regret.root_regret_tables import ALL, MEANS, PLAYED, VALUES, VISITS, group_of
from mcts.policy import index_rule_of
from numerics.output import tables
from numerics.output.sheets import Column, Facts, Row, Sheet, interval, number, word
from numerics.parameters import parameter
from numerics.statistics.bounded import rare_values

if TYPE_CHECKING:
    import pandas as pd

_NAMES = {TREE: "tree", PLAYOUTS: "bandit of playouts", EXACT: "bandit of exact values"}
_LARGE = 100.0  # regret that is written without decimals


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return the rows of all positions, and of a tree those by what playouts say at first, policy by policy."""
    summary = tables.read(folder / "summary.csv")
    shown = summary[(summary["group"] == ALL) | (summary["arms"] == TREE)]
    order = {policy: row for row, policy in enumerate(shown["policy"].unique())}
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
    """Say which policy has the lowest regret in a tree, and how ln n and moves at random would grow."""
    summary = tables.read(folder / "summary.csv")
    of_all = summary[summary["group"] == ALL].set_index(["policy", "arms"])["regret"].unstack("arms")
    best, most = str(of_all[TREE].idxmin()), int(summary["n"].iloc[0])
    tree, playouts, exact = of_all.loc[best, list(KINDS)]
    sentences = [
        f"lowest regret in a tree: {best}, {tree:,.0f} after {most:,} simulations; {playouts:,.0f} on the bandit of "
        f"playouts, {exact:,.0f} on that of exact values"
    ]
    first = max(1, most // 10)
    if first > 1:
        logarithm = np.log(np.log(most) / np.log(first)) / np.log(most / first)
        sentences.append(f"from {first:,} simulations on, moves at random grow as n^1, ln n as n^{logarithm:.2f}")
    return sentences


def positions_path(path: Path) -> Path:
    """Return the file of the positions whose visits are in `path`."""
    return path.with_name(path.name.replace("visits", "positions"))


def search_positions(
    path: Path, policies: Sequence[LabelledPolicy], simulations: int, playouts_per_move: int, seed: int, numbers: range
) -> None:
    """Search some positions; store the positions, and then N_n(a) at the checkpoints."""
    steps, visits, positions, packed = steps_of(simulations), [], [], graded_positions()
    for position in numbers:
        graded = packed[position]
        root = Root.of(position, graded, playouts_per_move, seed)
        exact, playouts = (over_columns(root, means, np.nan) for means in (root.exact, root.playouts))
        positions.append(
            {"position": position, "ply": len(graded.moves), "moves": notation.write(graded.moves, WIDTH)}
            | dict(zip(VALUES, exact.tolist(), strict=True))
            | dict(zip(PLAYED, playouts.tolist(), strict=True))
            | {"group": group_of(exact, playouts)}
        )
        for entry in policies:
            for kind in KINDS:
                counts = root.counts(kind, graded.board, entry.policy, steps, seed)
                rows = tables.table_of({"position": position, "policy": entry.label, "arms": kind, "n": steps})
                rows[VISITS] = over_columns(root, counts.visits, 0).astype(np.int32)
                rows[MEANS] = over_columns(root, counts.means, np.nan)
                visits.append(rows)
    tables.write(tables.table_of(positions), positions_path(path))
    tables.write(tables.join_tables(visits), path)


class RootRegret(Experiment, name="root_regret"):
    """The root of a search as a bandit with known means, on fixed positions of 7x6."""

    policies: Sequence[LabelledPolicy] = list_of(POLICY)
    executor: Executor = group(EXECUTOR)
    positions: int = parameter(400, low=1, high=2_000, help="how many, the first of the set from random games")
    simulations: int = parameter(10_000, low=1, high=1_000_000, help="of the moves of each position")
    playouts_per_move: int = parameter(2_000, low=1, high=1_000_000, help="from which their means are estimated")
    seed: int = parameter(0, low=0, help="decides all random numbers")

    unit = "positions"
    figures = root_regret_figures.FIGURES
    sheets = (SUMMARY,)
    notes = staticmethod(notes)

    def prepare(self) -> None:
        for entry in self.policies:
            index_rule_of(entry.policy, horizon=True, argument=entry.key)
            entry.probe()

    def announce(self) -> None:
        printing.say(
            f"{self.positions:,} positions of random games, 8 to 28 plies, in which a move can lose the value; "
            f"{self.simulations:,} simulations of each by each policy, in a tree and on two bandits without one"
        )

    def tasks(self, folder: Path) -> list[Task]:
        terms = (tuple(self.policies), self.simulations, self.playouts_per_move, self.seed)
        return [
            Task(folder / SHARDS / f"visits{numbers[0]:07d}.parquet", search_positions, (*terms, numbers), len(numbers))
            for numbers in parts_of(self.positions)
        ]

    def _locks(self, entry: LabelledPolicy, played: root_regret_tables.Played) -> bool:
        """Return whether a policy can lock, or seems so on the bandit of exact values where that is unknown."""
        known = can_lock(entry.policy)
        return rare_values(played[entry.label, EXACT].regret[:, -1], self.simulations) if known is None else known

    def source_fingerprint(self) -> str:
        return f"{super().source_fingerprint()}\n{graded_positions()!r}"

    def tables(self, folder: Path) -> dict[str, Any]:
        files = [task.path for task in self.tasks(folder)]
        visits = tables.join_tables([tables.read(file) for file in files])
        positions = tables.join_tables([tables.read(positions_path(file)) for file in files])
        played = root_regret_tables.seen_in(visits, positions, self.seed)
        locked = [entry.label for entry in self.policies if self._locks(entry, played)]
        curves, summary = root_regret_tables.curves_and_summary(played, positions, steps_of(self.simulations), locked)
        tables.write(visits, folder / "visits.parquet")
        tables.write(positions, folder / "positions.parquet")
        tables.write(curves, folder / "curves.parquet")
        tables.write(summary, folder / "summary.csv")
        if len(self.policies) > 1:
            tables.write(
                root_regret_tables.differences_of(played, self.simulations, locked), folder / "differences.csv"
            )
        named = [{"label": entry.label, "formula": entry.policy.formula} for entry in self.policies]
        return {"seed": self.seed, "timings": {}, "policies": named}
