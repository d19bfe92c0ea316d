"""An exact search of the root's moves, which takes turns with the simulations, by a hook of the game.

Playouts do not see who wins with the last stones, and a proof by simulations does not know the soonest win. A search
for exact scores sees both. The simulations say which move it looks at first. It asks whether the position is worth at
least a bound: is it won, is it not lost, and then by how much, as long as the budget lasts. The first
move that is worth as much answers with yes, all moves together with no.

Scores are those of `numerics.games.Narrow`, here always for the side to move at the root.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mcts.kernels.nodes import Nodes
from numerics.games import DRAWN, LOST, UNDECIDED, WON, Game

POSITIONS = 16  # for each simulation: two thirds of the time in Connect 4
_POSITIONS_A_SECOND = 8e6  # about; it decides only how much memory a search begins with
_EXPECTED = 2**16  # positions of a search of unknown length
_FIRST_TURN = 64  # simulations
_MORE = 8  # a turn comes after every eighth more simulations
_GROWTH = 8  # of the memory of a search that looks at four times the positions that were expected


class ExactSearch:
    """The exact search of one root, a turn at a time.

    Parameters
    ----------
    game : Game
        The position, by its rules; it has an exact search.
    simulations : int or None
        Those of the whole search, if that is known.

    Attributes
    ----------
    positions : int
        How many it has looked at.
    known : mapping from moves to scores
        Moves whose score is known before any search.
    low, high : int64[K]
        After the first turn, the least and the greatest score that each move of the root can have.
    """

    def __init__(self, game: Game, simulations: int | None = None):
        self._narrow, self._memory_for = game.exact_search()
        self._game, self.positions = game, 0
        self.known: Mapping[int, int] = {}
        self._expected = _EXPECTED if simulations is None else POSITIONS * simulations
        self._next_turn = _FIRST_TURN
        self._states: list[npt.NDArray[np.int64]] = []
        self._asked = -1  # the move whose question is not answered yet
        self.low = self.high = np.empty(0, np.int64)
        self._unknown_to_tree = np.empty(0, np.bool_)  # moves of which it has no proof below them

    @property
    def solved(self) -> bool:
        """Whether the exact score of the position is known."""
        return bool(self._states) and bool(self.low.max() == self.high.max())

    @property
    def outcome(self) -> int:
        """The outcome of the position for the side to move, or UNDECIDED."""
        low, high = int(self.low.max()), int(self.high.max())
        if low > 0 or high < 0:
            return WON if low > 0 else LOST
        return DRAWN if low == high else UNDECIDED

    def know(self, scores: Mapping[int, int]) -> None:
        """Take scores of moves as known, and enter them after the first simulation."""
        self.known = scores
        if scores:
            self._next_turn = 0

    def expect(self, seconds: float) -> None:
        """Make the memory of the first turn large enough for so much time."""
        self._expected = max(self._expected, int(min(seconds, 1e6) * _POSITIONS_A_SECOND))

    def until_turn(self, simulations: int) -> int:
        """Return how many simulations come before the next turn, after so many."""
        return max(1, self._next_turn - simulations)

    def due(self, simulations: int, most: int | None) -> int:
        """Return how many positions to look at now.

        Parameters
        ----------
        simulations : int
            Those of the search so far.
        most : int or None
            The positions that a proven root may still cost, those so far included; None for a root that is not proven.
        """
        if self.solved:
            return 0
        if most is not None:
            return max(0, most - self.positions)
        if simulations < self._next_turn:
            return 0
        due = POSITIONS * simulations - self.positions
        if due <= 0:
            self._next_turn = simulations + max(_FIRST_TURN, simulations // _MORE)
        return max(0, due)

    def search(self, nodes: Nodes, positions: int) -> int:
        """Look at so many more positions, about, or until the score is known; return how many.

        What is proven of the root's children goes from the tree to the bounds at first, and back at the end.
        """
        first = int(nodes.child[0])
        children = slice(first, first + int(nodes.children[0]))
        if not self._states:
            self._begin(nodes.move[children].astype(np.int64))
        self._learn(nodes.outcome[children])
        before = self.positions
        self._ask(
            before + positions, np.argsort(-nodes.visits[children], kind="stable").tolist(), nodes.values[0] < 0.5
        )
        outcomes = np.where(self.low > 0, WON, np.where(self.high < 0, LOST, UNDECIDED))
        outcomes[(self.low == 0) & (self.high == 0)] = DRAWN
        proven = np.flatnonzero((outcomes != UNDECIDED) & (nodes.outcome[children] >= UNDECIDED))
        self._unknown_to_tree[proven] = True
        nodes.outcome[first + proven] = outcomes[proven]
        nodes.values[first + proven] = 0.5 + 0.5 * outcomes[proven]
        if self.outcome != UNDECIDED:
            nodes.outcome[0] = -self.outcome
        return self.positions - before

    def _begin(self, moves: npt.NDArray[np.int64]) -> None:
        game, most = self._game, self._game.most_plies
        self.low, self.high = np.full(moves.size, -most), np.full(moves.size, most)
        self._unknown_to_tree = np.zeros(moves.size, np.bool_)
        for i, move in enumerate(moves.tolist()):
            state = game.state.copy()
            game.play(state, move)
            self._states.append(state)
            outcome = game.outcome(state)
            if outcome != UNDECIDED:  # at once, so that there is room for all other moves
                self.low[i] = self.high[i] = outcome * most
            elif move in self.known:
                self.low[i] = self.high[i] = self.known[move]
        if not self.solved:
            self._memory = self._memory_for(game.state, self._expected)

    def _learn(self, outcomes: npt.NDArray[np.int8]) -> None:
        self.low[outcomes == WON] = np.maximum(self.low[outcomes == WON], 1)
        self.high[outcomes == LOST] = np.minimum(self.high[outcomes == LOST], -1)
        self.low[outcomes == DRAWN] = self.high[outcomes == DRAWN] = 0

    def _ask(self, end: int, order: list[int], is_good: bool) -> None:
        narrow: Any = self._narrow
        bounds = np.empty(2, np.int64)
        while self.positions < end and not self.solved:
            least = _question(int(self.low.max()), int(self.high.max()), is_good)
            able = [i for i in order if self.high[i] >= least]
            i = self._asked if self._asked in able else able[0]
            if self.positions >= 4 * self._expected:  # what it knew is lost, and fresh memory takes time
                self._expected *= _GROWTH
                self._memory = self._memory_for(self._game.state, self._expected)
            bounds[0], bounds[1] = -self.high[i], -self.low[i]  # of the other side
            self.positions += int(narrow(self._states[i], bounds, 1 - least, end - self.positions, self._memory))
            self.low[i], self.high[i] = -bounds[1], -bounds[0]
            self._asked = i if self.low[i] < least <= self.high[i] else -1

    def plies(self, measured: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the plies to the end after each move of a position that is won or lost, at most.

        Parameters
        ----------
        measured : int64[K]
            What the tree knows of that: at most so many, or -1.

        Returns
        -------
        int64[K]
            -1 for a move that is not known to keep the outcome or, where that is known, the score.
        """
        if not self._states:
            return measured
        most, is_won = self._game.most_plies, self.outcome == WON
        measured = np.where(self._unknown_to_tree, -1, measured)
        known = np.where(self.low > 0, most - self.low, -1) if is_won else np.where(self.high < 0, most + self.high, -1)
        plies = np.where((known >= 0) & (measured >= 0), np.minimum(known, measured), np.maximum(known, measured))
        if self.solved and not is_won:  # nobody knows whether others last as long
            plies[(self.low < self.high) & (self.high == self.low.max())] = -1
        return plies


def _question(low: int, high: int, is_good: bool) -> int:
    """Return the score to ask for between two bounds: near a draw first, because that takes the fewest positions.

    Examples
    --------
    >>> _question(-20, 20, True), _question(-20, 20, False), _question(-20, 0, True)
    (1, 0, 0)
    >>> _question(1, 20, True), _question(-20, -1, True)
    (11, -10)
    """
    if low < 0 and high >= 0 and not (is_good and high > 0):
        return 0
    if low < 1 <= high:
        return 1
    return low + (high - low) // 2 + 1
