"""The result of a search: its moves, its tree as arrays and as a table, and the move to play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bandits import Policy
from mcts import tree_figure
from mcts.kernels.nodes import UNSEEN, Nodes
from numerics.games import DRAWN, LOST, UNDECIDED, WON, Playable
from numerics.output.notebook import bar, paragraph, table
from numerics.parameters import must_be_one_of

if TYPE_CHECKING:
    import pandas as pd

CHOICES = ("visits", "value", "index")
_MOST_ROWS = 20  # moves in the table of a notebook, the most visited
_LINE = 12  # most moves of best play there

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class SearchResult:
    """The result of a search.

    Attributes
    ----------
    policy : Policy
        The policy that selected the children.
    tree : Nodes
        The node arrays of `mcts.kernels.nodes`; node 0 is the root.
    simulations : int
        The number of simulations.
    depth : int
        The depth of the deepest node, in moves without passes.
    seconds : float
        Wall time in the kernel.
    full : bool
        Whether the tree reached its memory limit and went on without new nodes.
    horizon : float
        The horizon that the policy knew; 0 for a search by time.
    board : object with a ``game``, position of an ordinary class, or None
        The position, a copy of the search's argument.
    plies : int64[K]
        For each child of a root that is proven won or lost, the maximum number of plies to the end after that move,
        passes left out. -1 if the move is not proven to keep the outcome. Empty where the root is not proven.
    recommends : str
        Criterion of the best move: "visits", or "value" for root policies such as kl_lucb, which divide the visits
        between two moves.
    names : sequence, optional
        The moves of an ordinary class by their numbers in the tree. Without it a move is its number.
    pass_move : int
        The move of the tree with which a side waits while the other moves again; -1 where the game has none.
    """

    policy: Policy
    tree: Nodes
    simulations: int
    depth: int
    seconds: float
    full: bool
    horizon: float
    board: Playable | None = None
    plies: Whole = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    recommends: str = "visits"
    names: Sequence[Any] | None = None
    pass_move: int = -1

    def __repr__(self) -> str:
        """Return a line with the move to play, the value of the position, and the visits of the move."""
        if self.tree.children[0] <= 0:
            return "SearchResult(no visits)"
        best = self._best_child(0, self.recommends)
        visits, total = self.tree.visits[best], self.tree.visits[0]
        move = self.name_of(self.tree.move[best])
        return f"SearchResult(best {move}, value {self.value:.2f}, {visits:,.0f} of {total:,.0f} visits)"

    def _repr_html_(self) -> str:
        """Return the board, if it has an HTML view, and a table of the moves, with sentences above and below it."""
        moves, visits, values, outcomes = self.moves, self.visits, self.values, self.proofs
        if not visits.sum():
            return paragraph("no visits")
        order = np.sort(np.argsort(-visits, kind="stable")[:_MOST_ROWS])
        proven = any(outcomes)
        rows = []
        for row in order:
            share = visits[row] / visits.sum()
            mean = "" if np.isnan(values[row]) else f"{values[row]:.3f}"
            cells = [str(moves[row]), f"{visits[row]:,}", bar(share), f"{100.0 * share:.1f} %", mean]
            rows.append([*cells, outcomes[row]] if proven else cells)
        best, line = self.best_move, self.principal_variation
        play = ", ".join(map(str, line[:_LINE])) + (", ..." if len(line) > _LINE else "")
        bold = next((row for row, move in enumerate(moves[order]) if move == best), None)
        counted = "moves as Python counts them, from 0; " if self.names is None else ""
        heads = ["move", "visits", "", "share", "value", *(["proven"] if proven else [])]
        more = f"; the {len(order)} most visited of {len(moves)} moves" if len(order) < len(moves) else ""
        return (
            getattr(self.board, "_repr_html_", str)()
            + paragraph(f"best move {best}, value {self.value:.2f}: {self.simulations:,} simulations{more}")
            + table(heads, rows, bold)
            + paragraph(f"best play: {play}; {counted}values for the side to move")
        )

    @property
    def moves(self) -> npt.NDArray[Any]:
        """The legal moves at the root, in increasing order; those of an ordinary class as it has them, in its order."""
        return self.named(self.tree.move[self._root_children])

    @property
    def visits(self) -> Whole:
        """N(a), the simulations through each move of `moves`."""
        return self.tree.visits[self._root_children].astype(np.int64)

    @property
    def values(self) -> Floats:
        """The mean result of each move, in [0, 1], for the side to move, or its proven value; NaN before a visit."""
        return self.node_values(self._root_children)

    @property
    def scores(self) -> Floats:
        """The index of each move of `moves`, as the policy scores it now; -inf before a visit or if left out."""
        return self._scores(self._root_children)

    @property
    def outcomes(self) -> list[str]:
        """The proven outcome of each move for the side to move: "won", "drawn" or "lost", or "" if not proven."""
        names = {WON: "won", DRAWN: "drawn", LOST: "lost"}
        return [names.get(int(known), "") for known in self.tree.outcome[self._root_children]]

    @property
    def distances(self) -> Whole:
        """The plies to the end by each of `moves`, that move included, at most; -1 where nothing is known of that.

        Known are those of the moves that win, or lose, in a position that is proven won, or lost.
        """
        if not self.plies.size:
            return np.full(self.moves.size, -1, dtype=np.int64)
        plies = self.plies[self._root_children - int(self.tree.child[0])]
        return np.where(plies < 0, -1, plies + 1)

    @property
    def distance(self) -> int | None:
        """The plies to the end of a position that is proven won or lost, at most; None of others."""
        if not self.plies.size:
            return None
        return 1 + int(self.plies[self._best_child(0, self.recommends) - int(self.tree.child[0])])

    @property
    def proofs(self) -> list[str]:
        """The proven outcome of each move with its distance, as in "won in 7", or "" if nothing is proven."""
        pairs = zip(self.outcomes, self.distances.tolist(), strict=True)
        return [f"{name} in {plies}" if plies >= 0 else name for name, plies in pairs]

    @property
    def value(self) -> float:
        """The mean result of all simulations for the side to move, or the proven value."""
        known = int(self.tree.outcome[0])
        return float(1.0 - self.tree.values[0]) if known == UNDECIDED else 0.5 - 0.5 * known

    @property
    def best_move(self) -> Any:
        """The move to play: a proven win if there is one, else the best by `recommends` that is not proven lost."""
        return self.choose()

    def choose(self, by: str | None = None) -> Any:
        """Return the move to play.

        Parameters
        ----------
        by : {"visits", "value", "index"}, optional
            The most visits, the highest mean, or the highest score of the policy; as `recommends` unless given. It
            always plays a proven win, the soonest of several. It prefers a proven draw to an unproven move whose mean
            is below 1/2. It plays a proven loss only if all moves lose, then the latest. Ties go by visits, then
            values, then the lower move.
        """
        by = self.recommends if by is None else by
        if by not in CHOICES:
            raise ValueError(must_be_one_of("choose", by, CHOICES))
        return self.name_of(self.tree.move[self._best_child(0, by)])

    @property
    def principal_variation(self) -> list[Any]:
        """The moves of best play, as far as the tree was visited, with both sides choosing by visits."""
        moves = self.tree.move[self.principal_nodes].tolist()
        return [self.name_of(move) for move in moves if move != self.pass_move]

    def name_of(self, move: int) -> Any:
        """Return a move of the tree as the class has it; "pass" of a side that waits, None of the root."""
        if self.names is None:
            return int(move)
        return None if move < 0 else "pass" if move == self.pass_move else self.names[move]

    def named(self, moves: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
        """Return moves of the tree as the class has them."""
        if self.names is None:
            return moves.astype(np.int64)
        named = np.empty(moves.size, dtype=object)
        named[:] = [self.name_of(move) for move in moves.tolist()]
        return named

    @property
    def principal_nodes(self) -> list[int]:
        """The nodes of the principal variation, without the root."""
        node, line = 0, list[int]()
        while self.tree.children[node] > 0:
            node = self._best_child(node, "visits" if node else self.recommends)
            if self.tree.visits[node] == 0.0 or node in line:  # transpositions may lead back to a position
                break
            line.append(node)
        return line

    @property
    def parents(self) -> Whole:
        """The parent of each node, the first if transpositions give it several; -1 at the root."""
        parents = np.full(self.tree.move.size, -1, dtype=np.int64)
        inner = np.flatnonzero(self.tree.children > 0)[::-1]  # so that the first parent is written last
        counts = self.tree.children[inner].astype(np.int64)
        first = np.repeat(self.tree.child[inner].astype(np.int64), counts)
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        parents[first + within] = np.repeat(inner, counts)
        return parents

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each node: parent, depth, move, visits, value (for the side that moved), outcome."""
        import pandas as pd

        parents = self.parents
        depth = np.zeros(parents.size, dtype=np.int64)
        for node in range(1, parents.size):  # a child comes after its parent
            depth[node] = depth[parents[node]] + (self.tree.move[node] != self.pass_move)
        return pd.DataFrame(
            {
                "parent": parents,
                "depth": depth,
                "move": self.named(self.tree.move),
                "visits": self.tree.visits.astype(np.int64),
                "value": self.node_values(np.arange(parents.size)),
                "outcome": np.where(self.tree.outcome == UNSEEN, UNDECIDED, self.tree.outcome),
            }
        )

    def draw(self, path: str | Path, levels: int = 3, share: float = 0.03) -> list[Path]:
        """Write a picture of the tree's top as `path`.png, .svg and .pdf, and return these files.

        Parameters
        ----------
        path : str or Path
            The path without the ending.
        levels : int, default 3
            Depth in moves, from 1 to 20; a level shows at most its forty most visited nodes.
        share : float, default 0.03
            Nodes with less than this share of the root's visits, in (0, 1], are omitted.
        """
        return tree_figure.draw(self, path, levels, share)

    @property
    def _root_children(self) -> Whole:
        children = self.children(0)
        return children[np.argsort(self.tree.move[children], kind="stable")]

    def children(self, node: int) -> Whole:
        """Return the indices of a node's children in the arrays of the tree."""
        first = int(self.tree.child[node])
        return np.arange(first, first + max(int(self.tree.children[node]), 0))

    def node_values(self, nodes: Whole) -> Floats:
        """Return the mean results of nodes for the side that moved into them, or proven values; NaN if unvisited."""
        known = self.tree.outcome[nodes]
        decided = (known != UNDECIDED) & (known != UNSEEN)
        values = np.where(decided, 0.5 + 0.5 * known, self.tree.values[nodes])
        return np.where(self.tree.visits[nodes] > 0.0, values, np.nan)

    def _best_child(self, node: int, by: str) -> int:
        # Lists, not arrays, are faster for a handful of children; players call this at every move.
        tree, first, count = self.tree, int(self.tree.child[node]), int(self.tree.children[node])
        children = slice(first, first + count)
        known, visits, moves = (
            tree.outcome[children].tolist(),
            tree.visits[children].tolist(),
            tree.move[children].tolist(),
        )
        values = [
            -1.0 if seen == 0.0 else 0.5 + 0.5 * outcome if outcome < UNDECIDED else value
            for seen, outcome, value in zip(visits, known, tree.values[children].tolist(), strict=True)
        ]
        wanted = {"visits": visits, "value": values}.get(by) or self._scores(self.children(node)).tolist()
        ranks = [(outcome == WON) - (outcome == LOST) for outcome in known]
        plies = self.plies.tolist() if node == 0 and self.plies.size else [0] * count
        early = [-rank * length for rank, length in zip(ranks, plies, strict=True)]  # a win soon, a loss late
        order = sorted(zip(ranks, early, wanted, visits, values, [-move for move in moves], range(count), strict=True))
        order.reverse()
        best: int = order[0][-1]
        drawn = [index for *_, index in order if known[index] == DRAWN]
        is_drawn = node == 0 and tree.outcome[0] == DRAWN
        if drawn and known[best] >= UNDECIDED and (values[best] < 0.5 or is_drawn):
            best = drawn[0]  # a proven move gets no further visits, so its value counts for more than their number
        return first + best

    def _scores(self, children: Whole) -> Floats:
        """Return the policy's scores of a node's children; -inf for unvisited ones."""
        spec, tree = self.policy.spec(), self.tree
        scores = np.full(children.size, -np.inf)
        seen = np.flatnonzero(tree.visits[children] > 0.0)
        if seen.size == 0:
            return scores
        nodes, out = children[seen], np.empty(seen.size)
        spec.rule.compiled(
            tree.visits[nodes],
            tree.values[nodes],
            tree.widths[nodes],
            tree.variances[nodes] if tree.variances.size else np.zeros(seen.size),
            tree.priors[nodes] if tree.priors.size else np.zeros(seen.size),
            float(tree.visits[nodes].sum() + 1.0),
            self.horizon,
            np.array(spec.params, dtype=np.float64),
            np.ones((1, 4), dtype=np.uint64),
            out,
        )
        scores[seen] = out
        return scores
