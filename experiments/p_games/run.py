"""P-games: how often the root move is wrong after so many iterations, for UCT, flat Monte Carlo and alpha-beta.

The figure of Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006, section 4.1. An iteration is a
simulation, or for alpha-beta the evaluation of a position by the sum so far. The default rule of UCT is UCB1,
mean + c sqrt(ln t / n) with c = sqrt(2) for results in [0, 1]: the paper's 2 C_p with C_p = 1 / sqrt(2). A move is
wrong if its exact value, 1, 1/2 or 0 under best play, is below that of the best move.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bandits import Policy, tables
from experiments import executors, report
from experiments.statistics.intervals import wilson
from experiments.store import RunFolder
from experiments.work import complete
from mcts.flat import monte_carlo_values
from mcts.p_game import PGame
from mcts.policy import children_up_to, policy_of, text_of
from mcts.search import Search, index_hooks
from numerics import checks
from numerics.random import derived_seed
from numerics.sources import digest

if TYPE_CHECKING:
    import pandas as pd

FLAT, ALPHA_BETA = "flat Monte Carlo", "alpha-beta"
_SEARCH = 130  # the purpose of the searches' seeds
_SHARDS = 100  # of a run, about
_MOST_TREES, _MOST_ITERATIONS, _MOST_LEAVES = 1_000_000, 2**26, 10**9

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Method:
    """What searches: UCT with a rule, or one of the two without; `label` stands in tables and figures."""

    label: str
    rule: Policy | None = None


@dataclass(frozen=True)
class Terms:
    """What all searches of a run have in common."""

    checkpoints: tuple[int, ...]
    runs: int
    seed: int


@dataclass(frozen=True)
class Shard:
    """A method on trees `first` ... `first + count - 1` of one size, and the file of its results."""

    size: tuple[int, int]
    number: int
    method: Method
    terms: Terms
    first: int
    count: int
    folder: Path

    @property
    def path(self) -> Path:
        """The shard's file, there only when it is whole."""
        branching, depth = self.size
        return self.folder / f"b{branching:04d}_d{depth:04d}_method{self.number:03d}_tree{self.first:07d}.parquet"

    def __call__(self) -> None:
        """Search the trees and store how wrong the moves were."""
        import pandas as pd

        branching, depth = self.size
        parts = []
        for tree in range(self.first, self.first + self.count):
            board = PGame(branching, depth, self.terms.seed, tree)
            wrong = wrong_moves(board)
            for run in range(1 if self.method.label == ALPHA_BETA else self.terms.runs):
                seed = derived_seed(self.terms.seed, (_SEARCH, branching, depth, tree, run))
                failures = self._failures(board, wrong, seed)
                own = {"iterations": self.terms.checkpoints, "failure": failures}
                parts.append(pd.DataFrame({"tree": tree, "run": run, **own}))
        table = pd.concat(parts, ignore_index=True)
        table.insert(0, "method", self.method.label)
        table.insert(0, "depth", depth)
        table.insert(0, "branching", branching)
        tables.write(table, self.path)

    def _failures(self, board: PGame, wrong: Floats, seed: int) -> Floats:
        checkpoints = self.terms.checkpoints
        if self.method.label == ALPHA_BETA:
            return deepening_failures(board, wrong, checkpoints)
        if self.method.label == FLAT:
            # Shorter searches are beginnings of the longest: the uniform policy does not know how long it will be.
            return wrong[[monte_carlo_values(board, count, seed=seed).best_move for count in checkpoints]]
        search, done, moves = Search(board, self.method.rule, simulations=checkpoints[-1], seed=seed), 0, []
        for count in checkpoints:
            search.run(count - done)
            done = count
            moves.append(search.choose("visits"))
        return wrong[moves]


def wrong_moves(board: PGame) -> Floats:
    """Return 1 for every move whose exact value is below the best one's, else 0."""
    values = board.values()
    found: Floats = (values < values.max()).astype(np.float64)
    return found


def deepening_failures(board: PGame, wrong: Floats, checkpoints: Sequence[int]) -> Floats:
    """Return how wrong alpha-beta's move is after so many evaluations: that of the deepest level it has finished.

    Before the first level any move is played, so that the failure is the share of wrong moves.
    """
    from mcts.p_game_deepening import deepen

    levels: Any = deepen
    moves, spent = np.zeros(board.depth, np.int64), np.zeros(board.depth, np.int64)
    done = levels(board.game.state, checkpoints[-1], moves, spent)
    finished = np.searchsorted(spent[:done], checkpoints, side="right")
    return np.array([wrong[moves[count - 1]] if count else wrong.mean() for count in finished])


def run_p_game(config: Mapping[str, Any], folder: Path) -> None:
    """Search all trees and leave the tables and the figure in `folder`."""
    sizes = [_size(place, text) for place, text in enumerate(config["sizes"])]
    if not sizes or len(set(sizes)) < len(sizes):
        raise ValueError(f"sizes must hold different trees, such as [2x20,8x8]; got {list(config['sizes'])}")
    trees = checks.whole("trees", config["trees"], 1, most=_MOST_TREES)
    most = checks.whole("iterations", config["iterations"], 1, most=_MOST_ITERATIONS)
    terms = Terms(
        tuple(2**power for power in range(most.bit_length())),
        checks.whole("runs", config["runs"], 1, most=_MOST_TREES), checks.whole("seed", config["seed"], 0),
    )  # fmt: skip
    methods = _methods(config["rules"], max(branching for branching, _ in sizes), most)
    execute = executors.build(config["executor"])
    texts = [digest(file) for file in (__file__, *_rule_files(methods))]
    values = [one.rule.hooks().rule.captured for one in methods if one.rule is not None]
    code = hashlib.sha256("".join([*texts, *values]).encode()).hexdigest()[:16]
    with RunFolder.open(folder, config, code) as store:
        report.say(
            f"P-games {', '.join(f'{b}x{d}' for b, d in sizes)} (branching x depth): {trees:,} random trees of each, "
            f"{terms.runs:,} search{'es' if terms.runs > 1 else ''} of each tree by each method that is random"
        )
        planned = plan(sizes, methods, terms, trees, store.shards)

        def leave() -> dict[str, Any]:
            failures = _gather(planned)
            tables.write(failures, folder / "failures.parquet")
            summary = summary_of(failures)
            tables.write(summary, folder / "summary.csv")
            draw_p_game(folder, summary)
            return {"seed": terms.seed, "timings": {}}

        complete(store, planned, execute, "searches", leave)
    report.console().print(failures_table(summary_of(tables.read(folder / "failures.parquet"))))
    report.say_places(folder)


def _size(place: int, text: Any) -> tuple[int, int]:
    """Return branching and depth of a text such as "2x20"."""
    found = re.fullmatch(r"(\d{1,4})x(\d{1,4})", text) if isinstance(text, str) else None
    branching, depth = (int(part) for part in found.groups()) if found else (0, 0)
    if branching < 1 or depth < 1 or branching**depth > _MOST_LEAVES:
        raise ValueError(
            f"sizes[{place}] must be BRANCHINGxDEPTH, such as 2x20, each at least 1, of at most {_MOST_LEAVES:,} "
            f"leaves; got {str(text)!r}"
        )
    return branching, depth


def _methods(nodes: Sequence[Any], children: int, most: int) -> list[Method]:
    """Return UCT with each rule, and the two methods it is compared with."""
    found = []
    for place, node in enumerate(nodes):
        policy = policy_of(node, f"rules[{place}]", children=children_up_to(children), horizon=most)
        try:
            index_hooks(policy, horizon=True)
        except ValueError as error:
            raise ValueError(f"rules[{place}]{str(error).removeprefix('rule')}") from error
        found.append(Method(f"UCT, {text_of(policy)}", policy))
    if len({one.label for one in found}) < len(found):
        raise ValueError(f"rules must differ from each other; got {', '.join(one.label for one in found)}")
    return [*found, Method(FLAT), Method(ALPHA_BETA)]


def _rule_files(methods: Sequence[Method]) -> list[str]:
    """Return the files of rules that are a user's own."""
    import sys

    modules = [str(getattr(one.rule, "rule", "")).rpartition(".")[0] for one in methods]
    files = [getattr(sys.modules.get(name), "__file__", None) for name in modules if name]
    return sorted(file for file in files if file is not None)


def plan(
    sizes: Sequence[tuple[int, int]], methods: Sequence[Method], terms: Terms, trees: int, folder: Path
) -> list[Shard]:
    """Cut all searches into shards; the cut does not depend on the workers."""
    block = -(-len(sizes) * len(methods) * trees // _SHARDS)
    return [
        Shard(size, number, method, terms, first, min(block, trees - first), folder)
        for size in sizes
        for number, method in enumerate(methods)
        for first in range(0, trees, block)
    ]


def _gather(planned: Sequence[Shard]) -> pd.DataFrame:
    import pandas as pd

    return pd.concat([tables.read(shard.path) for shard in planned], ignore_index=True)


def summary_of(failures: pd.DataFrame) -> pd.DataFrame:
    """Return the failure rate of each method after each number of iterations.

    Returns
    -------
    pandas.DataFrame
        branching, depth, method, iterations; trees, searches; rate, the mean failure over trees and runs, with the ends
        of its 95 % Wilson interval, in which only trees count as independent, so that it is wide where runs are many.
    """
    import pandas as pd

    rows = []
    keys = ["branching", "depth", "method", "iterations"]
    for key, own in failures.groupby(keys, sort=False):
        trees, rate = own["tree"].nunique(), float(own["failure"].mean())
        low, high = wilson(rate * trees, trees)
        named = dict(zip(keys, key if isinstance(key, tuple) else (key,), strict=True))
        rows.append({**named, "trees": trees, "searches": len(own), "rate": rate, "rate_low": low, "rate_high": high})
    return pd.DataFrame(rows)


def failures_table(summary: pd.DataFrame) -> Any:
    """Return the printed form of the summary: the failure rate at every fourth power of two, and at the last one."""
    from rich.table import Table
    from rich.text import Text

    checkpoints = sorted(set(summary["iterations"]))
    shown = sorted({*checkpoints[::4], checkpoints[-1]})
    table = Table(
        title="root moves that are wrong, in %, after so many iterations; in brackets: 95 % intervals",
        title_justify="left",
    )
    for name in ("tree", "method"):
        table.add_column(name, overflow="fold")
    for count in shown:
        table.add_column(f"{count:,}", justify="right")
    for (branching, depth), size in summary.groupby(["branching", "depth"], sort=False):
        names = list(dict.fromkeys(size["method"]))
        for method in names:
            own = size[size["method"] == method].set_index("iterations")
            cells = [_rate_text(*own.loc[count, ["rate", "rate_low", "rate_high"]]) for count in shown]
            table.add_row(f"{branching}x{depth}", Text(method), *cells, end_section=method == names[-1])
    return table


def _rate_text(rate: float, low: float, high: float) -> str:
    return f"{100 * rate:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def draw_p_game(folder: Path, summary: pd.DataFrame | None = None) -> list[Path]:
    """Draw the failure rates, from the searches in the folder unless their summary is given."""
    from bandits.drawing import files, page
    from experiments.p_games.figures import draw_failures

    summary = summary_of(tables.read(folder / "failures.parquet")) if summary is None else summary
    place = folder / "figures" / "failures"
    sizes = list(dict.fromkeys(zip(summary["branching"], summary["depth"], strict=True)))
    with page(place, (1.2 + 4.4 * len(sizes), 4.6)) as figure:
        panels = np.atleast_1d(figure.subplots(1, len(sizes), sharey=True))
        for axes, (branching, depth) in zip(panels, sizes, strict=True):
            draw_failures(axes, summary[(summary["branching"] == branching) & (summary["depth"] == depth)])
    return files(place)
