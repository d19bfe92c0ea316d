"""The root of a search as a bandit with known means: regret against simulations, in a tree and on stationary bandits.

Every policy searches every position of a fixed set whose moves have exact scores, and plays the two bandits of
`experiments.root_regret.arms` once for each position, on the same random streams. Where the curves of the tree are
those of a bandit, its root behaves as theory says; where they are not, its arms have drifted.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from connect4 import notation
from experiments.engine import console as report
from experiments.engine.families import EXECUTOR, Entry, entries
from experiments.engine.store import RunFolder
from experiments.engine.tasks import complete
from experiments.graded_positions.positions import WIDTH, Graded, graded_positions
from experiments.root_regret import tables as made
from experiments.root_regret.arms import EXACT, KINDS, PLAYOUTS, TREE, Root, over_columns, steps_of
from mcts.policy import CHILDREN, index_rule_of
from numerics import checks
from numerics.kernels.sources import digest
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd

_SHARDS = 100  # of a run, about
_MOST_SIMULATIONS, _MOST_PLAYOUTS = 1_000_000, 1_000_000
_NAMES = {TREE: "tree", PLAYOUTS: "bandit of playouts", EXACT: "bandit of exact values"}


@dataclass(frozen=True)
class Terms:
    """What all searches of a run have in common."""

    simulations: int
    playouts_per_move: int
    seed: int


@dataclass(frozen=True)
class Shard:
    """All policies on positions `first` ... `first + count - 1`, and the files of what they did."""

    entries: tuple[Entry, ...]
    terms: Terms
    first: int
    count: int
    folder: Path

    @property
    def path(self) -> Path:
        """The shard's file of visits, there only when both of its files are whole."""
        return self.folder / f"visits{self.first:07d}.parquet"

    @property
    def positions_path(self) -> Path:
        """The shard's file of positions."""
        return self.folder / f"positions{self.first:07d}.parquet"

    def __call__(self) -> None:
        """Search, and store N_n(a) at the checkpoints."""
        import pandas as pd

        steps, visits, positions = steps_of(self.terms.simulations), [], []
        for number in range(self.first, self.first + self.count):
            one = _all_positions()[number]
            root = Root.of(number, one, self.terms.playouts_per_move, self.terms.seed)
            exact, playouts = (over_columns(root, means, np.nan) for means in (root.exact, root.playouts))
            positions.append(
                {"position": number, "ply": len(one.moves), "moves": notation.write(one.moves, WIDTH)}
                | dict(zip(made.VALUES, exact.tolist(), strict=True))
                | dict(zip(made.PLAYED, playouts.tolist(), strict=True))
                | {"group": made.group_of(exact, playouts)}
            )
            for entry in self.entries:
                for kind in KINDS:
                    counts = root.counts(kind, one.board, entry.policy, steps, self.terms.seed)
                    own = pd.DataFrame({"position": number, "policy": entry.label, "arms": kind, "n": steps})
                    own[made.VISITS] = over_columns(root, counts.visits, 0).astype(np.int32)
                    own[made.MEANS] = over_columns(root, counts.means, np.nan)
                    visits.append(own)
        tables.write(pd.DataFrame(positions), self.positions_path)
        tables.write(pd.concat(visits, ignore_index=True), self.path)


@functools.cache
def _all_positions() -> list[Graded]:
    return graded_positions()


def run_root_regret(config: Mapping[str, Any], folder: Path) -> None:
    """Search every position with every policy and leave the tables and figures in `folder`."""
    policies = policies_of(config["policies"])
    count = checks.whole("positions", config["positions"], 1, len(_all_positions()))
    terms = Terms(
        checks.whole("simulations", config["simulations"], 1, _MOST_SIMULATIONS),
        checks.whole("playouts_per_move", config["playouts_per_move"], 1, _MOST_PLAYOUTS),
        checks.whole("seed", config["seed"], 0),
    )  # fmt: skip
    for entry in policies:
        entry.probe(CHILDREN, terms.simulations)
    execute = EXECUTOR.build(config["executor"], "executor").run
    with RunFolder.open(folder, config, _source_digest(policies)) as store:
        report.say(
            f"{count:,} positions of random games, 8 to 28 plies, in which a move can lose the value; "
            f"{terms.simulations:,} simulations of each by each policy, in a tree and on two bandits without one"
        )
        planned = plan(policies, count, terms, store.shards)

        def leave() -> dict[str, Any]:
            _leave_results(planned, folder)
            named = [{"label": one.label, "formula": one.policy.formula} for one in policies]
            return {"seed": terms.seed, "timings": {}, "policies": named}

        complete(store, planned, execute, "positions", leave)
    visits, positions, curves = (tables.read(folder / f"{name}.parquet") for name in ("visits", "positions", "curves"))
    summary = made.summary_of(visits, positions, curves)
    report.console().print(summary_table(summary))
    for sentence in sentences(summary, positions):
        report.say(sentence)
    report.say_places(folder)


def policies_of(nodes: Sequence[Any]) -> list[Entry]:
    """Return the index policies of a configuration, each a name or a node with parameters and perhaps a label.

    Raises
    ------
    ValueError
        None, an unknown or doubled one, or a policy that chooses without an index, which no tree can follow.
    """
    found = entries(nodes, "policies")
    for place, entry in enumerate(found):
        try:
            index_rule_of(entry.policy, horizon=True)
        except ValueError as error:
            raise ValueError(f"policies[{place}]{str(error).removeprefix('policy')}") from error
    return found


def _source_digest(policies: Sequence[Entry]) -> str:
    """Return a digest of what the numbers depend on besides the configuration: source code, and the positions."""
    total = hashlib.sha256(repr(_all_positions()).encode())
    hooks = [one.policy.spec().rule for one in policies]
    files = [inspect.getsourcefile(hook.function) for hook in hooks]
    for file in sorted({__file__, *(file for file in files if file)}):
        total.update(digest(file).encode())
    return total.hexdigest()[:16]


def plan(policies: Sequence[Entry], positions: int, terms: Terms, folder: Path) -> list[Shard]:
    """Cut the positions into shards; the cut does not depend on the workers."""
    block = -(-positions // _SHARDS)
    return [
        Shard(tuple(policies), terms, first, min(block, positions - first), folder)
        for first in range(0, positions, block)
    ]


def _leave_results(planned: Sequence[Shard], folder: Path) -> None:
    """Write the tables and draw the figures."""
    import pandas as pd

    visits, positions = (
        pd.concat([tables.read(path) for path in paths], ignore_index=True)
        for paths in ([one.path for one in planned], [one.positions_path for one in planned])
    )
    curves = made.curves_of(visits, positions)
    tables.write(visits, folder / "visits.parquet")
    tables.write(positions, folder / "positions.parquet")
    tables.write(curves, folder / "curves.parquet")
    tables.write(made.summary_of(visits, positions, curves), folder / "summary.csv")
    if visits["policy"].nunique() > 1:
        tables.write(made.differences_of(visits, positions), folder / "differences.csv")
    draw_root_regret(folder, curves, positions)


def summary_table(summary: pd.DataFrame) -> Any:
    """Return the printed form of the summary: all positions, and those of a tree by what playouts say at first."""
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=f"the root after {summary['n'].iloc[0]:,} simulations of its moves; intervals: 95 %, over positions",
        title_justify="left",
    )
    table.add_column("policy", overflow="fold")
    table.add_column("arms")
    for name in ("positions", "regret L", "x in L ~ n^x", "on optimal moves, %", "recommends one, %"):
        table.add_column(name, justify="right")
    policies, kinds = made.labels_of(summary)
    for policy in policies:
        own = summary[summary["policy"] == policy]
        shown = own[(own["group"] == made.ALL) | (own["arms"] == TREE)]
        rows = shown.sort_values("arms", key=lambda column: column.map(kinds.index), kind="stable").to_dict("records")
        for place, row in enumerate(rows):
            form = ",.0f" if row["regret"] >= 100.0 else ".1f"
            group = "" if row["group"] == made.ALL else f", playouts {row['group']}"
            table.add_row(
                Text(policy if place == 0 else ""), f"{_NAMES[row['arms']]}{group}", f"{row['positions']:,}",
                _with_ends(row, "regret", form), _with_ends(row, "growth", ".2f"),
                _with_ends(row, "optimal_share", ".1f", 100.0), _with_ends(row, "recommended_optimal", ".1f", 100.0),
                end_section=place == len(rows) - 1,
            )  # fmt: skip
    return table


def _with_ends(row: Mapping[Any, Any], name: str, form: str, scale: float = 1.0) -> str:
    """Write a number and its interval; a dash where it is not known."""
    middle, low, high = (scale * row[f"{name}{end}"] for end in ("", "_low", "_high"))
    if middle != middle:
        return "-"
    return f"{middle:{form}}" + (f" ({low:{form}} to {high:{form}})" if low == low else "")


def sentences(summary: pd.DataFrame, positions: pd.DataFrame) -> list[str]:
    """Return what is seen, in words: of the policy of the lowest regret in a tree, and where playouts mislead it."""
    most = int(summary["n"].iloc[0])
    first = max(1, most // 10)
    of = {(row["policy"], row["arms"], row["group"]): row for row in summary.to_dict("records")}
    trees = [row for row in of.values() if row["arms"] == TREE and row["group"] == made.ALL]
    best = str(min(trees, key=lambda row: row["regret"])["policy"])
    found = [
        f"lowest regret in a tree: {best}, {of[best, TREE, made.ALL]['regret']:,.0f} after {most:,} simulations; "
        f"{of[best, PLAYOUTS, made.ALL]['regret']:,.0f} on the bandit of playouts, "
        f"{of[best, EXACT, made.ALL]['regret']:,.0f} on that of exact values"
    ]
    for group, what in ((made.RIGHT, "an optimal move first"), (made.WRONG, "a move first that loses the value")):
        if (best, TREE, group) not in of:
            continue
        tree, bandit = (of[best, kind, group] for kind in (TREE, PLAYOUTS))
        if not np.isfinite([tree["growth"], bandit["growth"]]).all():
            continue
        shares = " % and ".join(f"{100 * row['recommended_optimal']:.1f}" for row in (tree, bandit))
        found.append(
            f"where playouts rank {what} ({tree['positions']:,} of {len(positions):,} positions), from {first:,} to "
            f"{most:,} simulations the regret of {best} grew as n^{tree['growth']:.2f} in a tree and as "
            f"n^{bandit['growth']:.2f} on the bandit of playouts; it recommends an optimal move in {shares} %"
        )
    if first > 1:
        found.append(f"moves at random grow as n^1; ln n as n^{_logarithm(first, most):.2f} there")
    return found


def _logarithm(first: int, last: int) -> float:
    """Return the exponent that ln n seems to have between two n."""
    return float(np.log(np.log(last) / np.log(first)) / np.log(last / first))


def draw_root_regret(
    folder: Path, curves: pd.DataFrame | None = None, positions: pd.DataFrame | None = None
) -> list[Path]:
    """Draw the figures of a run, from the tables in its folder unless they are given."""
    from experiments.root_regret import figures
    from numerics.output.style import files, page

    curves = tables.read(folder / "curves.parquet") if curves is None else curves
    positions = tables.read(folder / "positions.parquet") if positions is None else positions
    place = folder / "figures"
    for name in figures.FIGURES:
        with page(place / name, (10.6, 11.4)) as figure:
            figures.draw(figure, name, curves, positions)
    return [file for name in figures.FIGURES for file in files(place / name)]
