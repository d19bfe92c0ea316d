"""A search recorded simulation by simulation: the moves of each path, its result, and what the rule said at the root.

The recorded search is `mcts.search` itself, one simulation at a time: with the same seed it ends with the same tree, to
the last bit. The index of a move is asked from the rule once more, with the statistics and a copy of the random stream
that the kernel was about to give it, so that a rule that draws draws the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits import Policy
from mcts.result import Floats, SearchResult, Whole
from mcts.search import Prior, Search
from mcts.streams import RULE
from numerics import checks
from numerics.games import UNDECIDED, Playable

MOST = 1_000_000  # simulations of a recording, which nobody looks through


@dataclass(frozen=True, eq=False)
class Recording:
    """Every simulation of a search.

    Attributes
    ----------
    moves : int64[K]
        The legal moves of the root, in increasing order.
    lengths : int64[S]
        How many moves each simulation made inside the tree, at least 1.
    path : int64[sum of lengths]
        These moves, one simulation after another.
    results : float64[S]
        What each simulation gave the side to move at the root, in [0, 1].
    visits, means : float64[S, K]
        What the rule was given of each move of the root.
    scores : float64[S, K]
        The index of each move of the root when that simulation chose: NaN while every move is tried in turn, -inf where
        the rule left a move out that could not win.
    seed : int
        Of the search.
    result : SearchResult
        What the search found in the end.
    """

    moves: Whole
    lengths: Whole
    path: Whole
    results: Floats
    visits: Floats
    means: Floats
    scores: Floats
    seed: int
    result: SearchResult

    @property
    def simulations(self) -> int:
        """S, how many there are."""
        return self.lengths.size


def record(
    board: Playable,
    policy: Policy | str | Mapping[str, Any] = "ucb",
    simulations: int = 1_000,
    *,
    seed: int = 0,
    playouts: str = "uniform",
    playouts_per_leaf: int = 1,
    prior: Prior | None = None,
) -> Recording:
    """Search a position and keep every simulation.

    A search that proves, shares transpositions or has several workers is not recorded: its tree does not follow from
    paths and results alone.

    Parameters
    ----------
    board, policy, seed, playouts, playouts_per_leaf, prior
        As for `mcts.search`.
    simulations : int, default 1,000
        From 1 to a million.

    Raises
    ------
    ValueError
        As `mcts.search` does.

    Examples
    --------
    >>> from connect4 import Board
    >>> from mcts import search
    >>> board = Board.from_moves("112233")
    >>> kept = record(board, "ucb", 100)
    >>> kept.lengths.shape, kept.scores.shape
    ((100,), (100, 7))
    >>> kept.result.visits.tolist() == search(board, "ucb", 100).visits.tolist()
    True
    """
    simulations = checks.whole("simulations", simulations, 1, most=MOST)
    recorder = _Recorder(
        board,
        policy,
        simulations=simulations,
        seed=seed,
        playouts=playouts,
        playouts_per_leaf=playouts_per_leaf,
        prior=prior,
    )
    lines, results, visits, means, scores = zip(*(recorder.step() for _ in range(simulations)), strict=True)
    found = recorder.result()
    return Recording(
        moves=found.moves,
        lengths=np.array([line.size for line in lines]),
        path=np.concatenate(lines),
        results=np.array(results),
        visits=np.array(visits),
        means=np.array(means),
        scores=np.array(scores),
        seed=seed,
        result=found,
    )


class _Recorder(Search):
    """A search that tells what its next simulation does."""

    def step(self) -> tuple[Whole, float, Floats, Floats, Floats]:
        """Run one simulation; return its moves and its result, and visits, means and scores by which the root chose."""
        before = self._statistics(self._root_children())
        stream = self._rng[RULE : RULE + 1].copy()
        self._scratch.path.fill(-1)
        self.run(1)
        path = self._scratch.path[1:]
        path = path[path >= 0]
        nodes, own = self._tree.nodes, self._root_children()
        if before is None:  # the moves were made by this simulation
            count = own.stop - own.start
            first = self._options.estimates.initial
            before = np.zeros(count), np.full(count, first), np.full(count, np.inf), np.zeros(count)
        order = np.argsort(nodes.move[own], kind="stable")
        visits, means, scores = (column[order] for column in (before[0], before[1], self._scores(*before, stream)))
        return nodes.move[path].astype(np.int64), self._result_of(path), visits, means, scores

    def _statistics(self, own: slice) -> tuple[Floats, Floats, Floats, Floats] | None:
        """Return copies of visits, means, widths and variances of the moves at the root; None before these are made."""
        nodes, count = self._tree.nodes, own.stop - own.start
        variances = nodes.variances[own].copy() if self._options.needs_variances else np.zeros(count)
        return (
            (nodes.visits[own].copy(), nodes.values[own].copy(), nodes.widths[own].copy(), variances) if count else None
        )

    def _root_children(self) -> slice:
        first, count = int(self._tree.nodes.child[0]), max(int(self._tree.nodes.children[0]), 0)
        return slice(first, first + count)

    def _result_of(self, path: npt.NDArray[np.int64]) -> float:
        """Return the last simulation's result, which is known at its leaf or is the leaf's only one."""
        nodes, leaf, estimates = self._tree.nodes, int(path[-1]), self._options.estimates
        if nodes.outcome[leaf] != UNDECIDED:
            result = 0.5 + 0.5 * float(nodes.outcome[leaf])
        else:
            moved = float(nodes.values[leaf]) - estimates.initial
            result = estimates.initial + moved / (estimates.step_size or 1.0 / (1.0 + estimates.prior_pulls))
        return result if path.size % 2 else 1.0 - result

    def _scores(
        self, visits: Floats, means: Floats, widths: Floats, variances: Floats, stream: npt.NDArray[np.uint64]
    ) -> Floats:
        """Return the index of each move, in the order of the tree, from what was known before its choice."""
        options, total, out = self._options, visits.sum(), np.full(visits.size, np.nan)
        if total >= options.estimates.explore * visits.size:
            own = self._root_children()
            priors = self._tree.nodes.priors[own].copy() if options.needs_priors else np.zeros(visits.size)
            self._rule.compiled(
                visits, means, widths, variances, priors, total + 1.0, options.horizon, self._params, stream, out
            )
        return out
