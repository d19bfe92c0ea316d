"""P-games: the failure rate of the root move against iterations, for UCT, flat Monte Carlo and alpha-beta.

The figure of Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006, section 4.1. An iteration is a
simulation, or for alpha-beta the evaluation of a position by the sum so far. The default policy of UCT is UCB1, mean +
c sqrt(ln t / n) with c = sqrt(2) for results in [0, 1]. This is the paper's 2 C_p with C_p = 1 / sqrt(2). A move is
wrong if its exact value, 1, 1/2 or 0 under best play, is below that of the best move.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine import printing
from experiments.engine.executors import Executor
from experiments.engine.experiment import SHARDS, Experiment, group
from experiments.engine.families import EXECUTOR, digests
from experiments.engine.tasks import Task, parts_of
from experiments.kinds.p_game.searches import ALPHA_BETA, FLAT, Method, Searches, search_trees, summary_of
from mcts.policy import IN_A_TREE, index_policy
from numerics.checks import prefix_errors
from numerics.output import plots, tables
from numerics.output.captions import caption
from numerics.output.figures import Caption, Figure
from numerics.output.scales import Scale
from numerics.output.sheets import Column, Facts, Sheet, interval, word
from numerics.output.style import number
from numerics.parameters import parameter

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from matplotlib.axes import Axes

_STEP = 0.006  # of the axis, from an error bar to that of the next line
_LEAST = 1e-3  # the lowest rate that the axis shows
_EVERY = 4  # powers of two between two columns


def _sizes(failures: pd.DataFrame) -> list[tuple[int, int]]:
    return list(dict.fromkeys(zip(failures["branching"], failures["depth"], strict=True)))


def draw(failures: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> Caption:
    """Draw the failure rates, a panel for each size of trees."""
    summary = summary_of(failures)
    sizes = _sizes(summary)
    grid = plots.panels(figure, len(sizes), 2, sharey=True)
    for axes, (branching, depth) in zip(grid, sizes, strict=True):
        draw_failures(summary[(summary["branching"] == branching) & (summary["depth"] == depth)], axes)
    for axes in grid[1::2]:
        axes.set_ylabel("")
    plots.legend_below(figure, grid)
    none = "; hollow triangle: no wrong move, and the upper end of its interval" * bool((summary["rate"] == 0.0).any())
    trees = number(int(summary["trees"].iloc[0]))
    return Caption(f"{trees} random trees of each size; whiskers: 95 % intervals{none}", "Wrong moves in P-games")


def size_of(failures: pd.DataFrame, facts: Facts) -> tuple[float, float]:
    """Return the width and height in inches for `draw`."""
    rows, _ = plots.grid_of(len(_sizes(failures)), 2)
    return 7.6, 1.3 + 0.2 * failures["method"].nunique() + 2.9 * rows


def draw_failures(summary: pd.DataFrame, axes: Axes) -> None:
    """Draw one line a method with whiskers of 95 %; a triangle is the upper end where no wrong move was seen."""
    plots.curves(
        axes,
        summary,
        "iterations",
        "rate",
        by="method",
        x_scale=Scale("iterations (simulations; evaluations of alpha-beta)", log=True),
        y_scale=Scale("share of wrong moves at the root", log=True, low=_LEAST, high=1.0),
        names={method: str(method) for method in summary["method"]},
        apart=_STEP,
    )
    branching, depth = (int(summary[name].iloc[0]) for name in ("branching", "depth"))
    caption(axes, f"{branching} moves a position, {depth} deep", legend=False)


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return one row a tree and method, with columns COUNT, COUNT_low and COUNT_high for each number of iterations."""
    summary = summary_of(tables.read(folder / "failures.parquet"))
    summary["tree"] = summary["branching"].astype(str) + "x" + summary["depth"].astype(str)
    rates = summary.rename(columns={"rate_low": "_low", "rate_high": "_high", "rate": ""})
    wide = rates.pivot(index=["tree", "method"], columns="iterations", values=["", "_low", "_high"])
    wide.columns = [f"{column[1]}{column[0]}" for column in wide.columns]
    order = list(summary[["tree", "method"]].drop_duplicates().itertuples(index=False, name=None))
    rows: pd.DataFrame = wide.loc[order].reset_index()
    return rows


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    counts = sorted(int(name) for name in frame.columns if name.isdigit())
    shown = sorted({*counts[::_EVERY], counts[-1]})
    return [word("tree"), word("method"), *(interval(f"{count:,}", str(count), scale=100) for count in shown)]


FAILURES = Sheet(
    "failures.parquet",
    "wrong moves at the root, in %, by number of iterations; in brackets: 95 % intervals",
    _columns,
    read=_read,
    group=lambda row: row["tree"],
    leading=2,
)


_MOST_TREES, _MOST_ITERATIONS, _MOST_LEAVES = 1_000_000, 2**26, 10**9
_UCB1 = {"name": "ucb", "c": math.sqrt(2.0), "label": "ucb c=sqrt(2)"}  # as in the paper


class PGames(Experiment, name="p_game"):
    """Failure rate of the root move in P-games by number of iterations: UCT, flat Monte Carlo and alpha-beta."""

    executor: Executor = group(EXECUTOR)
    sizes: list[str] = parameter(["2x20", "8x8"], help="sizes of trees, as BRANCHINGxDEPTH")
    policies: list[Any] = parameter([_UCB1], help="index policies of UCT; the constant of UCB1 is sqrt(2)")
    trees: int = parameter(500, low=1, most=_MOST_TREES, help="random trees of each size")
    runs: int = parameter(1, low=1, most=_MOST_TREES, help="searches of each tree by each random method")
    iterations: int = parameter(65_536, low=1, most=_MOST_ITERATIONS, help="iterations of the longest search")
    seed: int = parameter(0, low=0, help="random seed")

    unit = "searches"
    figures = (
        Figure(
            "failures",
            "failures.parquet",
            draw,
            size=size_of,
            panels=True,
        ),
    )
    sheets = (FAILURES,)

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """Branching and depth of each size."""
        sizes = [_size(index, text) for index, text in enumerate(self.sizes)]
        if not sizes or len(set(sizes)) < len(sizes):
            raise ValueError(f"sizes must hold different sizes, such as [2x20,8x8]; got {self.sizes}")
        return sizes

    @property
    def methods(self) -> list[Method]:
        """The methods: UCT with each policy, and the two methods with which it is compared."""
        methods: list[Method] = []
        for position, (label, policy) in enumerate(IN_A_TREE.many(self.policies, "policies").items()):
            key = f"policies[{position}]"
            index_policy(policy, key)
            with prefix_errors(key):
                policy.probe()
            methods.append(Method(f"UCT, {label}", policy))
        return [*methods, Method(FLAT), Method(ALPHA_BETA)]

    def prepare(self) -> None:
        self.methods  # noqa: B018 (checks them)

    def announce(self) -> None:
        printing.say(
            f"P-games {', '.join(f'{b}x{d}' for b, d in self.shapes)} (branching x depth): {self.trees:,} random trees "
            f"of each, {self.runs:,} search{'es' if self.runs > 1 else ''} of each tree by each method that is random"
        )

    def tasks(self, folder: Path) -> list[Task]:
        shapes, methods = self.shapes, self.methods
        checkpoints = tuple(2**power for power in range(self.iterations.bit_length()))
        return [
            Task(
                folder / SHARDS / f"b{shape[0]:04d}_d{shape[1]:04d}_method{number:03d}_tree{trees[0]:07d}.parquet",
                search_trees,
                (Searches(*shape, method, checkpoints, self.runs, self.seed), trees),
                len(trees),
            )
            for shape in shapes
            for number, method in enumerate(methods)
            for trees in parts_of(self.trees, among=len(shapes) * len(methods))
        ]

    def source_fingerprint(self) -> str:
        policies = [method.policy for method in self.methods if method.policy is not None]
        return digests(hook.function for policy in policies for hook in policy.spec().hooks)

    def tables(self, folder: Path) -> dict[str, Any]:
        failures = tables.join_tables([tables.read(task.path) for task in self.tasks(folder)])
        tables.write(failures, folder / "failures.parquet")
        tables.write(summary_of(failures), folder / "summary.csv")
        return {"seed": self.seed, "timings": {}}


def _size(index: int, text: Any) -> tuple[int, int]:
    """Return branching and depth of a text such as "2x20"."""
    match = re.fullmatch(r"(\d{1,4})x(\d{1,4})", text) if isinstance(text, str) else None
    branching, depth = (int(part) for part in match.groups()) if match else (0, 0)
    if branching < 1 or depth < 1 or branching**depth > _MOST_LEAVES:
        raise ValueError(
            f"sizes[{index}] must be BRANCHINGxDEPTH, such as 2x20, each at least 1, of at most {_MOST_LEAVES:,} "
            f"leaves; got {str(text)!r}"
        )
    return branching, depth
