"""A search recorded simulation by simulation: the moves of each path, its result, and the rule's scores at the root.

The recorder runs `mcts.search` itself, a simulation at a time: with the same seed it ends with the same tree, to the
last bit. It calls the rule once more for the indices of the moves. It passes the same statistics as the kernel and a
copy of its random stream, so that a rule that draws makes the same draws.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits import Policy
from mcts.at_root.priors import Prior
from mcts.ordinary.boards import game_of
from mcts.result import Floats, SearchResult, Whole
from mcts.streams import RULE
from mcts.tree_search import Search
from numerics import checks
from numerics.games import UNDECIDED, Game, Playable

MOST = 1_000_000  # simulations of a recording


@dataclass(frozen=True, eq=False)
class Recording:
    """Every simulation of a search.

    Attributes
    ----------
    moves : int64[K]
        The legal moves of the root, in increasing order.
    lengths : int64[S]
        The number of moves of each simulation inside the tree, at least 1.
    path : int64[sum of lengths]
        These moves, simulation after simulation, without passes. Moves of an ordinary class are as it has them.
    results : float64[S]
        The result of each simulation for the side to move at the root, in [0, 1].
    visits, means : float64[S, K]
        The statistics of the root's moves before each simulation.
    scores : float64[S, K]
        The index of each of the root's moves when that simulation chose. NaN while every move is tried in turn; -inf
        for a move that was excluded because it could not win.
    seed : int
        The seed of the search.
    result : SearchResult
        The result of the search at the end.
    """

    moves: npt.NDArray[Any]
    lengths: Whole
    path: npt.NDArray[Any]
    results: Floats
    visits: Floats
    means: Floats
    scores: Floats
    seed: int
    result: SearchResult

    @property
    def simulations(self) -> int:
        """S, the number of simulations."""
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

    It cannot record searches that prove, share transpositions or have several workers: their trees do not follow from
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
    simulations, seed = (
        checks.check_whole("simulations", simulations, 1, most=MOST),
        checks.check_whole("seed", seed, 0),
    )
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
    result = recorder.result()
    return Recording(
        moves=result.moves,
        lengths=np.array([line.size for line in lines]),
        path=result.named(np.concatenate(lines)),
        results=np.array(results),
        visits=np.array(visits),
        means=np.array(means),
        scores=np.array(scores),
        seed=seed,
        result=result,
    )


class _Recorder(Search):
    """A search that reports every simulation."""

    def _game_of(self, board: Any) -> Game:
        return game_of(board, is_shared=False)

    def step(self) -> tuple[Whole, float, Floats, Floats, Floats]:
        """Run a simulation; return its moves and result, and the visits, means and scores by which the root chose."""
        before = self._statistics(self._root_children())
        stream = self._rng[RULE : RULE + 1].copy()
        self._scratch.path.fill(-1)
        self.run(1)
        path = self._scratch.path[1:]
        path = path[path >= 0]
        nodes, moves = self._tree.nodes, self._root_children()
        if before is None:  # this simulation expanded the root
            count = moves.stop - moves.start
            first = self._options.estimates.initial
            before = np.zeros(count), np.full(count, first), np.full(count, np.inf), np.zeros(count)
        order = np.argsort(nodes.move[moves], kind="stable")
        visits, means, scores = (column[order] for column in (before[0], before[1], self._scores(*before, stream)))
        child = int(path[0]) - moves.start  # the root's move
        result = self._result_of(path, float(before[0][child]), float(before[1][child]))
        line = nodes.move[path].astype(np.int64)
        return line[line != self._options.pass_move], result, visits, means, scores

    def _statistics(self, moves: slice) -> tuple[Floats, Floats, Floats, Floats] | None:
        """Return copies of visits, means, widths and variances of the root's moves; None before it is expanded."""
        nodes, count = self._tree.nodes, moves.stop - moves.start
        variances = nodes.variances[moves].copy() if self._options.needs_variances else np.zeros(count)
        return (
            (nodes.visits[moves].copy(), nodes.values[moves].copy(), nodes.widths[moves].copy(), variances)
            if count
            else None
        )

    def _root_children(self) -> slice:
        first, count = int(self._tree.nodes.child[0]), max(int(self._tree.nodes.children[0]), 0)
        return slice(first, first + count)

    def _result_of(self, path: npt.NDArray[np.int64], visits: float, mean: float) -> float:
        """Return the last simulation's result, given the visits and the mean of the root's move before it.

        It is the leaf's known outcome, or else its first result. A leaf at the most plies of a game has later ones:
        those are seen at the root's move, but for rounding.
        """
        nodes, leaf, estimates = self._tree.nodes, int(path[-1]), self._options.estimates
        if nodes.outcome[leaf] != UNDECIDED:
            result = 0.5 + 0.5 * float(nodes.outcome[leaf])
        elif nodes.visits[leaf] > 1.0:
            rate = estimates.step_size or 1.0 / (visits + 1.0 + estimates.prior_pulls)
            return min(max(mean + (float(nodes.values[path[0]]) - mean) / rate, 0.0), 1.0)
        else:
            moved = float(nodes.values[leaf]) - estimates.initial
            result = estimates.initial + moved / (estimates.step_size or 1.0 / (1.0 + estimates.prior_pulls))
        return result if path.size % 2 else 1.0 - result

    def _scores(
        self, visits: Floats, means: Floats, widths: Floats, variances: Floats, stream: npt.NDArray[np.uint64]
    ) -> Floats:
        """Return the index of each move, in the order of the tree, from the statistics before the choice."""
        options, total, out = self._options, visits.sum(), np.full(visits.size, np.nan)
        if total >= options.estimates.explore * visits.size:
            moves = self._root_children()
            priors = self._tree.nodes.priors[moves].copy() if options.needs_priors else np.zeros(visits.size)
            self._rule.compiled(
                visits, means, widths, variances, priors, total + 1.0, options.horizon, self._params, stream, out
            )
        return out
