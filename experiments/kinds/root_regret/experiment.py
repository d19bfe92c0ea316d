"""The root of a search as a bandit with known means: regret against simulations, in a tree and on stationary bandits.

Every policy searches the same positions, whose moves have exact scores. It also plays the two bandits of
`experiments.kinds.root_regret.arms` once for each position, on the same random streams. If the curves of the tree agree
with those of a bandit, its root behaves as in theory. If they do not, its arms have drifted.

The positions of Connect 4 are a fixed set on 7x6. Those of another game are drawn and solved first.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits.bounds import can_lock
from experiments.engine import printing
from experiments.engine.executors import Executor
from experiments.engine.experiment import SHARDS, Experiment, group, list_of
from experiments.engine.families import EXECUTOR, POLICY, LabelledPolicy, digests
from experiments.engine.tasks import Task, parts_of
from experiments.games.positions import PositionRules
from experiments.games.rules import GAME, Rules
from experiments.graded_positions.drawing import Drawing, say_fewer
from experiments.graded_positions.positions import RANDOM, Graded, graded_positions, is_packed
from experiments.kinds.root_regret import root_regret_figures, root_regret_tables
from experiments.kinds.root_regret.arms import EXACT, KINDS, PLAYOUTS, TREE, Root, over_options, steps_of
from experiments.kinds.root_regret.root_regret_tables import ALL, MEANS, PLAYED, VALUES, VISITS, group_of, names_of
from mcts.ordinary.boards import game_of
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
        f"the root after {frame['n'].iloc[0]:,} simulations; regret L grows as n^x (growth "
        "exponent x); intervals: 95 %, over positions"
    ),
    (
        word("policy"),
        Column("arms", _arms, number=False),
        number("positions", optional=2),
        Column("regret L", _regret, "regret"),
        interval("growth exponent", "growth", ".2f", optional=1),
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
        f"lowest regret in a tree: {best}, {tree:,.0f} after {most:,} simulations (bandit of "
        f"playouts: {playouts:,.0f}; "
        f"bandit of exact values: {exact:,.0f})"
    ]
    first = max(1, most // 10)
    if first > 1:
        logarithm = np.log(np.log(most) / np.log(first)) / np.log(most / first)
        sentences.append(
            f"for comparison, from {first:,} simulations on: random moves have growth n^1, and ln n "
            f"has n^{logarithm:.2f}"
        )
    return sentences


def positions_path(path: Path) -> Path:
    """Return the file of the positions whose visits are in `path`."""
    return path.with_name(path.name.replace("visits", "positions"))


def search_positions(
    path: Path,
    policies: Sequence[LabelledPolicy],
    simulations: int,
    playouts_per_move: int,
    seed: int,
    width: int,
    first: int,
    chosen: Sequence[Graded],
) -> None:
    """Search positions numbered from `first`; store the positions, and then N_n(a) at the checkpoints."""
    steps, visits, positions = steps_of(simulations), [], []
    for position, graded in enumerate(chosen, first):
        root, board = Root.of(position, graded, playouts_per_move, seed), graded.board
        exact, playouts = (over_options(root, means, np.nan, width) for means in (root.exact, root.playouts))
        positions.append(
            {"position": position, "ply": len(graded.moves), "moves": graded.rules.write_opening(graded.moves)}
            | (
                {"options": " ".join(graded.rules.words(graded.options))}
                if isinstance(graded.rules, PositionRules)
                else {}
            )
            | dict(zip(names_of(VALUES, width), exact.tolist(), strict=True))
            | dict(zip(names_of(PLAYED, width), playouts.tolist(), strict=True))
            | {"group": group_of(exact, playouts)}
        )
        for entry in policies:
            for kind in KINDS:
                counts = root.counts(kind, board, entry.policy, steps, seed)
                rows = tables.table_of({"position": position, "policy": entry.label, "arms": kind, "n": steps})
                rows[names_of(VISITS, width)] = over_options(root, counts.visits, 0, width).astype(np.int32)
                rows[names_of(MEANS, width)] = over_options(root, counts.means, np.nan, width)
                visits.append(rows)
    tables.write(tables.table_of(positions), positions_path(path))
    tables.write(tables.join_tables(visits), path)


def caveats(folder: Path, facts: Facts) -> list[str]:
    """Say whether there are fewer positions than wanted."""
    return say_fewer(facts.get("positions", 0), facts.get("wanted", 0))


class RootRegret(Experiment, name="root_regret"):
    """The root of a search as a bandit with known means, on positions of Connect 4 on 7x6 or of another solved game."""

    policies: Sequence[LabelledPolicy] = list_of(POLICY)
    game: Rules = group(GAME)
    executor: Executor = group(EXECUTOR)
    positions: int = parameter(400, low=1, high=2_000, help="number of positions from random games")
    simulations: int = parameter(10_000, low=1, high=1_000_000, help="simulations of each position")
    playouts_per_move: int = parameter(
        2_000, low=1, high=1_000_000, help="playouts that estimate the mean of each move"
    )
    seed: int = parameter(0, low=0, help="random seed")

    unit = "positions"
    figures = root_regret_figures.FIGURES
    sheets = (SUMMARY,)
    caveats = staticmethod(caveats)
    notes = staticmethod(notes)

    @functools.cached_property
    def _drawing(self) -> Drawing | None:
        """What is drawn and solved first; None of the positions that come with the package."""
        return None if is_packed(self.game) else Drawing(self.game, self.positions, RANDOM, self.seed)

    def prepare(self) -> None:
        for entry in self.policies:
            index_rule_of(entry.policy, horizon=True, argument=entry.key)
            entry.probe()
        if self._drawing is not None:
            self._drawing.check()
            try:
                game_of(self.game.reached(()))
            except ValueError as error:
                raise ValueError(f"game {self.game} cannot be searched: {error}") from None

    def announce(self) -> None:
        where = "from random games, 8 to 28 plies"
        if self._drawing is not None:
            low, high = self._drawing.plies or (0, 0)
            where = f"from random games {self.game.title}, {low} to {high} plies, drawn and solved first"
        printing.say(
            f"{self.positions:,} positions {where}, in which a move can lose the value; "
            f"{self.simulations:,} simulations of each by each policy, in a tree and on two bandits"
        )

    def stages(self, folder: Path) -> Iterator[Sequence[Task]]:
        if self._drawing is not None:
            yield self._drawing.tasks(folder / SHARDS)
        yield self.tasks(folder)

    def _chosen(self, folder: Path) -> list[Graded]:
        """Return the positions of a run in a folder; drawn ones after the first stage."""
        if self._drawing is None:
            return graded_positions(self.positions)
        return [graded for graded, _ in self._drawing.read(folder / SHARDS)]

    def tasks(self, folder: Path) -> list[Task]:
        chosen = self._chosen(folder)
        width = max(len(graded.scores) for graded in chosen)
        terms = (tuple(self.policies), self.simulations, self.playouts_per_move, self.seed, width)
        return [
            Task(
                folder / SHARDS / f"visits{part[0]:07d}.parquet",
                search_positions,
                (*terms, part[0], chosen[part[0] : part[-1] + 1]),
                len(part),
            )
            for part in parts_of(len(chosen))
        ]

    def _locks(self, entry: LabelledPolicy, played: root_regret_tables.Played) -> bool:
        """Return whether a policy can lock, or seems so on the bandit of exact values where that is unknown."""
        known = can_lock(entry.policy)
        return rare_values(played[entry.label, EXACT].regret[:, -1], self.simulations) if known is None else known

    def source_fingerprint(self) -> str:
        positions = repr(graded_positions()) if self._drawing is None else digests(self.game.source_files())
        return f"{super().source_fingerprint()}\n{positions}"

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
        counted = {"wanted": self.positions, "positions": len(positions)}
        return {"seed": self.seed, "timings": {}, "policies": named, **counted}
