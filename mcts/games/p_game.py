"""P-games: random trees of known value, the second game of the search and that of UCT's founding paper.

Every move of the first player is worth a whole number drawn from 0 ... 127, every move of the second player one from
-127 ... 0; after `depth` moves the first player has won if the sum is positive, the second if it is negative. A node's
numbers depend on its path only, so that the tree need not be stored.

Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006, section 4.1, after Smith and Nau (1994).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numerics import checks
from numerics.games import DRAWN, LOST, SIGNATURES, UNDECIDED, WON, Game
from numerics.kernels.jit import kernel
from numerics.random import GOLDEN, Purpose, finalised, next_word, streams

_DEEPEST, _WIDEST = 1_000, 1_000
WORD, LEFT, BRANCHING, SUM, TO_MOVE = range(5)  # a state: TO_MOVE is 1 or -1, the word names the path
_32 = np.uint64(32)
_INFINITE = 1 << 40


@kernel()
def child(word, move):
    """Return the word of the path that goes on with a move: the splitmix64 finaliser."""
    return np.int64(finalised(np.uint64(word) + np.uint64(move + 1) * GOLDEN))


@kernel(SIGNATURES["legal"])
def legal(state, moves):
    """Write every move; return their number."""
    for move in range(state[BRANCHING]):
        moves[move] = move
    return state[BRANCHING]


@kernel(SIGNATURES["play"])
def make_move(state, move):
    """Add the move's worth, 0 ... 127 for the side that makes it."""
    state[WORD] = child(state[WORD], move)
    state[SUM] += state[TO_MOVE] * (state[WORD] & 127)
    state[TO_MOVE] = -state[TO_MOVE]
    state[LEFT] -= 1


@kernel(SIGNATURES["outcome"])
def outcome(state):
    """Return the outcome for the side that moved last, given by the sum once no move is left."""
    if state[LEFT] > 0:
        return UNDECIDED
    total = -state[TO_MOVE] * state[SUM]
    return WON if total > 0 else LOST if total < 0 else DRAWN


@kernel(SIGNATURES["playout"])
def uniform_playout(state, rng, r):
    """Play to the end with uniformly random moves."""
    mover, branching = state[TO_MOVE], np.uint64(state[BRANCHING])
    while state[LEFT] > 0:
        make_move(state, np.int64(((next_word(rng, r) >> _32) * branching) >> _32))
    total = mover * state[SUM]
    return 1.0 if total > 0 else 0.0 if total < 0 else 0.5


@kernel("int64(int64, int64, int64, int64, int64, int64, int64, int64[::1])")
def _value(word, levels, branching, total, to_move, low, high, left):
    """Return the sum for the side to move under best play over some levels, exact between low and high (alpha-beta).

    `left` counts down the evaluations of positions; without any left, the value means nothing.
    """
    if levels == 0:
        left[0] -= 1
        return to_move * total
    for move in range(branching):
        word_after = child(word, move)
        total_after = total + to_move * (word_after & 127)
        low = max(low, -_value(word_after, levels - 1, branching, total_after, -to_move, -high, -low, left))
        if low >= high or left[0] < 0:
            break
    return low


@kernel("float64[::1](int64[::1])")
def root_values(root: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the value of each move of a state for the side to move: 1, 1/2 or 0."""
    branching, to_move = root[BRANCHING], root[TO_MOVE]
    values, unlimited = np.empty(branching), np.full(1, _INFINITE, np.int64)
    for move in range(branching):
        word = child(root[WORD], move)
        total = root[SUM] + to_move * (word & 127)
        best = -_value(word, root[LEFT] - 1, branching, total, -to_move, -1, 1, unlimited)
        values[move] = 0.5 + 0.5 * min(max(best, -1), 1)
    return values


@kernel("int64(int64[::1], int64, int64[::1], int64[::1])")
def deepen(root, evaluations, moves, spent):
    """Search level after level with a limited number of evaluations: UCT's rival in the paper that introduced it.

    A position at the depth limit is worth the sum so far. An unfinished level gives no move; each level tries the best
    move of the previous level first. Writes the best move of each finished level, and the evaluations up to it; returns
    the number of finished levels.
    """
    branching, to_move = root[BRANCHING], root[TO_MOVE]
    left = np.full(1, evaluations, np.int64)
    first = 0
    for level in range(root[LEFT]):
        best, best_move = -_INFINITE, first
        for turn in range(branching):
            move = first if turn == 0 else turn - (turn <= first)
            word = child(root[WORD], move)
            total = root[SUM] + to_move * (word & 127)
            value = -_value(word, level, branching, total, -to_move, -_INFINITE, -best, left)
            if left[0] < 0:
                return level
            if value > best:
                best, best_move = value, move
        moves[level], spent[level] = best_move, evaluations - left[0]
        first = best_move
    return root[LEFT]


@dataclass(frozen=True)
class PGame:
    """A P-game at its root, where the first player is to move.

    Parameters
    ----------
    branching : int, default 2
        Moves of every position, from 1 to 1,000.
    depth : int, default 10
        Moves of every game, from 1 to 1,000.
    seed, tree : int, default 0
        They identify the tree; at least 0.

    Examples
    --------
    >>> tree = PGame(branching=2, depth=4, seed=0, tree=3)
    >>> tree.game.most_moves, tree.values().size
    (2, 2)
    """

    branching: int = 2
    depth: int = 10
    seed: int = 0
    tree: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "branching", checks.check_whole("branching", self.branching, 1, _WIDEST))
        object.__setattr__(self, "depth", checks.check_whole("depth", self.depth, 1, _DEEPEST))
        object.__setattr__(self, "seed", checks.check_whole("seed", self.seed, 0))
        object.__setattr__(self, "tree", checks.check_whole("tree", self.tree, 0))

    @property
    def game(self) -> Game:
        """The root for a search."""
        word = streams(self.seed, (Purpose.P_GAME_TREE,), self.tree, 1)[0, :1].view(np.int64)[0]
        return Game(
            state=np.array([word, self.depth, self.branching, 0, 1], dtype=np.int64),
            most_moves=self.branching,
            most_plies=self.depth,
            legal=legal,
            play=make_move,
            outcome=outcome,
            playouts={"uniform": uniform_playout},
        )

    def values(self) -> npt.NDArray[np.float64]:
        """Return the value of each first move for the first player under best play: 1, 1/2 or 0."""
        return root_values(self.game.state)
