"""The searches of P-games, and the failures of their root moves after given numbers of iterations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bandits import Policy
from mcts.flat import monte_carlo_values
from mcts.games.p_game import PGame, deepen
from mcts.tree_search import Search
from numerics.output import tables
from numerics.random import Purpose, derived_seed
from numerics.statistics.scores import Scores

if TYPE_CHECKING:
    import pandas as pd

FLAT, ALPHA_BETA = "flat Monte Carlo", "alpha-beta"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Method:
    """A method: UCT with a policy, or one of the two without; `label` stands in tables and figures."""

    label: str
    policy: Policy | None = None


@dataclass(frozen=True)
class Searches:
    """The settings that the searches of one method on trees of one size share."""

    branching: int
    depth: int
    method: Method
    checkpoints: tuple[int, ...]
    runs: int
    seed: int


def search_trees(path: Path, terms: Searches, trees: range) -> None:
    """Search some trees and store how wrong the moves were."""
    parts = []
    for tree in trees:
        board = PGame(terms.branching, terms.depth, terms.seed, tree)
        wrong = wrong_moves(board)
        for run in range(1 if terms.method.label == ALPHA_BETA else terms.runs):
            seed = derived_seed(terms.seed, (Purpose.P_GAME_SEARCH, terms.branching, terms.depth, tree, run))
            failures = {"iterations": terms.checkpoints, "failure": _failures(terms, board, wrong, seed)}
            parts.append(tables.table_of({"tree": tree, "run": run, **failures}))
    table = tables.join_tables(parts)
    table.insert(0, "method", terms.method.label)
    table.insert(0, "depth", terms.depth)
    table.insert(0, "branching", terms.branching)
    tables.write(table, path)


def _failures(terms: Searches, board: PGame, wrong: Floats, seed: int) -> Floats:
    checkpoints, method = terms.checkpoints, terms.method
    if method.label == ALPHA_BETA:
        return deepening_failures(board, wrong, checkpoints)
    if method.label == FLAT:
        # Shorter searches are beginnings of the longest: the uniform policy does not know how long it will be.
        return wrong[[monte_carlo_values(board, count, seed=seed).best_move for count in checkpoints]]
    assert method.policy is not None
    search, done, moves = Search(board, method.policy, simulations=checkpoints[-1], seed=seed), 0, []
    for count in checkpoints:
        search.run(count - done)
        done = count
        moves.append(search.choose("visits"))
    return wrong[moves]


def wrong_moves(board: PGame) -> Floats:
    """Return 1 for every move whose exact value is below the best one's, else 0."""
    values = board.values()
    failures: Floats = (values < values.max()).astype(np.float64)
    return failures


def deepening_failures(board: PGame, wrong: Floats, checkpoints: Sequence[int]) -> Floats:
    """Return the failure of alpha-beta's move after each number of evaluations: that of the deepest finished level.

    Before the first level any move is played, so that the failure is the share of wrong moves.
    """
    levels: Any = deepen
    moves, spent = np.zeros(board.depth, np.int64), np.zeros(board.depth, np.int64)
    done = levels(board.game.state, checkpoints[-1], moves, spent)
    finished = np.searchsorted(spent[:done], checkpoints, side="right")
    return np.array([wrong[moves[count - 1]] if count else wrong.mean() for count in finished])


def summary_of(failures: pd.DataFrame) -> pd.DataFrame:
    """Return the failure rate of each method after each number of iterations.

    Returns
    -------
    pandas.DataFrame
        branching, depth, method, iterations; trees, searches; rate, the mean failure over trees and runs, with the ends
        of its 95 % interval (`numerics.statistics.scores`). An observation is a tree with all its runs.
    """
    rows = []
    keys = ["branching", "depth", "method", "iterations"]
    for key, group in failures.groupby(keys, sort=False):
        failures_of = group.groupby("tree")["failure"].mean().to_numpy(np.float64)
        trees, rate = failures_of.size, float(failures_of.mean())
        low, high = Scores([failures_of]).interval()
        named = dict(zip(keys, key if isinstance(key, tuple) else (key,), strict=True))
        rows.append({**named, "trees": trees, "searches": len(group), "rate": rate, "rate_low": low, "rate_high": high})
    return tables.table_of(rows)
