"""Law two, part a: how the mean of a node of the tree spreads over independent searches, and what its tails are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from benchmarks.laws.positions import TRAPS, trapped_positions
from experiments.graded_positions.positions import Graded, value_of
from experiments.players.perfect import exact_scores
from mcts.tree_search import Search
from numerics.output import tables
from numerics.output.progress import progress
from numerics.random import Purpose, derived_seed

if TYPE_CHECKING:
    import pandas as pd

CHILD, GRANDCHILD = "child", "grandchild"
MOST_VISITS = 10_000  # that all runs have
_PILOT = 10_000  # simulations of the search whose most visited move and reply lead to the nodes
_DEPTHS, _AMONG = (9, 11), 200  # the root: the first position, of so many, whose deepest trap is as deep
_TAIL = 0.1  # the share of the largest deviations to which a generalized Pareto law is fitted
_RESAMPLED = 200
_RARE = float(np.sqrt(np.log(200.0) / 2.0))  # Hoeffding: 1 % of means of n independent results in [0, 1] lie beyond

Floats = npt.NDArray[np.float64]


def nodes_of(game: str, seed: int = 0) -> dict[str, tuple[Any, float]]:
    """Return a child and a grandchild of a position in mid-game, and the exact value of each for the side to move.

    The position is the first with a trap whose deepest trap is 9 to 11 plies deep, so that searches come to see it. The
    nodes are reached by the most visited move of a search, and the most visited reply.
    """
    root, nodes = root_of(game, seed), {}
    board = root.board
    for name in (CHILD, GRANDCHILD):
        search = Search(board, "ucb c=1", seed=derived_seed(0, (Purpose.BENCHMARK,)))
        search.run(_PILOT)
        move = int(search.choose())
        board = root.rules.after(board, move)
        nodes[name] = board, value_of(max(score for score in exact_scores(board) if score is not None))
    return nodes


def root_of(game: str, seed: int) -> Graded:
    """Return the position above the nodes."""
    low, high = _DEPTHS
    positions = trapped_positions(game, TRAPS, _AMONG, seed=seed)
    return next(position.graded for position in positions if low <= max(position.depths.values()) <= high)


def measure(game: str, policy: str, runs: int, long_runs: int, visits: Sequence[int], seed: int) -> pd.DataFrame:
    """Return the means of both nodes after numbers of visits: node, value, visits, run, mean.

    What happens below a node depends on its own visits alone. So a node is searched as a root, once for each seed. All
    runs have the visits up to 10,000, the first `long_runs` all.
    """
    parts = []
    with progress(2 * runs, f"searches of {game}") as advance:
        for name, (board, value) in nodes_of(game, seed).items():
            short = [n for n in sorted(visits) if n <= MOST_VISITS]
            for run in range(runs):
                search, done = Search(board, policy, seed=derived_seed(run, (Purpose.BENCHMARK, seed))), 0
                for n in sorted(visits) if run < long_runs else short:
                    search.run(n - done)
                    done = n
                    mean = float(search.result(copied=False).value)
                    parts.append((name, value, n, run, mean))
                advance()
    return tables.table_of(parts, ["node", "value", "visits", "run", "mean"])


def spreads(table: pd.DataFrame) -> pd.DataFrame:
    """Return, for each node and number of visits, the spread of the mean over runs and its distance from the value.

    Returns
    -------
    pandas.DataFrame
        node, visits, runs, average, distance (of the average from the exact value), scaled (sqrt(n) times the
        standard deviation, with a 95 % interval by resampling), and the excess kurtosis. `beyond` is the share of runs
        so far from the average that Hoeffding's bound allows 1 % of means of independent results there.
    """
    rng, rows = np.random.default_rng(0), []
    pairs = table[["node", "visits"]].drop_duplicates()
    for node, n in zip(pairs["node"], pairs["visits"].tolist(), strict=True):
        of = table[(table["node"] == node) & (table["visits"] == n)]
        means, value = of["mean"].to_numpy(np.float64), float(of["value"].iloc[0])
        count = means.size
        drawn = [means[rng.integers(0, count, count)].std(ddof=1) for _ in range(_RESAMPLED)]
        low, high = np.quantile(drawn, (0.025, 0.975))
        centred = means - means.mean()
        variance = float((centred**2).mean())
        rows.append(
            {
                "node": node,
                "visits": n,
                "runs": count,
                "average": float(means.mean()),
                "distance": abs(float(means.mean()) - value),
                "scaled": float(np.sqrt(n) * means.std(ddof=1)),
                "scaled_low": float(np.sqrt(n) * low),
                "scaled_high": float(np.sqrt(n) * high),
                "kurtosis": float((centred**4).mean()) / variance**2 - 3.0 if variance > 0.0 else np.nan,
                "beyond": float((np.abs(centred) * np.sqrt(n) > _RARE).mean()),
            }
        )
    return tables.table_of(rows)


def deviations(table: pd.DataFrame, node: str, visits: int) -> Floats:
    """Return sqrt(n) times the distances of a node's mean from its average over the runs, in increasing order."""
    means = table.loc[(table["node"] == node) & (table["visits"] == visits), "mean"].to_numpy(np.float64)
    far: Floats = np.sort(np.abs(means - means.mean())) * np.sqrt(visits)
    return far


def heaviest(spread: pd.DataFrame) -> dict[str, int]:
    """Return, for each node, the visits of all runs, at least 100, after which the excess kurtosis is largest."""
    known = spread[(spread["visits"] <= MOST_VISITS) & (spread["visits"] >= min(100, spread["visits"].max()))]
    largest = known.sort_values("kurtosis", kind="stable").drop_duplicates("node", keep="last")
    visits = dict(zip(largest["node"], largest["visits"].tolist(), strict=True))
    return {node: visits[node] for node in spread["node"].unique()}


def shapes(table: pd.DataFrame, visits: Mapping[str, int]) -> pd.DataFrame:
    """Return the shape of the tail of each node's mean: of a generalized Pareto law of the largest deviations.

    A shape above 0 is a polynomial tail, 0 an exponential one, and below 0 a lighter one.
    """
    rng, rows = np.random.default_rng(0), []
    for node, n in visits.items():
        far = deviations(table, node, n)
        start = float(np.quantile(far, 1.0 - _TAIL))
        beyond = far[far > start] - start
        again = [_shape(rng.choice(beyond, beyond.size)) for _ in range(_RESAMPLED)]
        low, high = np.quantile(again, (0.025, 0.975))
        rows.append(
            {"node": node, "visits": n, "runs": far.size, "from": start, "shape": _shape(beyond)}
            | {"shape_low": float(low), "shape_high": float(high)}
        )
    return tables.table_of(rows)


def _shape(beyond: Floats) -> float:
    """Return the shape of a generalized Pareto law by probability-weighted moments.

    Hosking and Wallis, Technometrics 29 (1987): for shapes below 1/2.
    """
    ordered = np.sort(beyond)
    above = 1.0 - (np.arange(1, ordered.size + 1) - 0.35) / ordered.size
    first, second = float(ordered.mean()), float((above * ordered).mean())
    return 2.0 - first / (first - 2.0 * second) if first > 2.0 * second else np.nan


def tail(far: Floats, points: int = 60) -> tuple[Floats, Floats]:
    """Return distances z, and the share of deviations above each, down to ten of them."""
    z = np.linspace(0.0, far[-min(10, far.size)], points)
    return z, 1.0 - np.searchsorted(far, z, side="right") / far.size
