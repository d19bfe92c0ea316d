"""The best move of a position with probability 1 - delta, by LUCB-MCTS or UGapE-MCTS.

The tree is all positions down to some depth. Its leaves are sampled: by playouts of a game, or by coins of given
means. What is sure is the best move of this tree: by the minimax value of its leaves' means.

Kaufmann and Koolen, "Monte-Carlo tree search by best arm identification", NeurIPS 2017.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.kernels.indices.confidence import tail_of_exponential
from mcts.confidence.trees import full_tree, grow
from mcts.kernels.confidence import LUCB, UGAPE, Aim, Answer, Tree, coin, sample_until_sure
from mcts.ordinary.boards import game_of, names_of
from mcts.streams import streams_of
from numerics import checks
from numerics.games import Playable, Playout
from numerics.kernels.addresses import address_of
from numerics.kernels.users import user_errors
from numerics.random import Purpose

RULES = {"lucb": LUCB, "ugape": UGAPE}
_tail: Callable[[float], float] = tail_of_exponential
RATES: dict[str, Callable[[float], tuple[float, float]]] = {  # of x = ln(leaves / delta), the base and growth of `Aim`
    "mixture": lambda x: (_tail(x), 3.0),
    "paper": lambda x: (x + 3.0 * math.log(max(x, 1.0)), 1.5),
    "heuristic": lambda x: (x, 1.0),
}
MOST_SAMPLES = 10**9
_SAMPLES_A_CALL = 200_000  # of the kernel, which cannot be interrupted

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.int64]


@dataclass(frozen=True)
class MoveIntervals:
    """What samples of the leaves of a tree say about the moves at its root, K of them, for the side to move.

    Attributes
    ----------
    moves : int64[K]
        The moves, in the order of the game; of an ordinary class a list of its moves.
    low, high : float64[K]
        The interval of each move's minimax value.
    means : float64[K]
        The minimax of the leaves' means so far; a leaf without a sample counts 1/2.
    best_move : int
        The move to play.
    sure : bool
        Whether it is within epsilon of the best with probability 1 - delta; else the samples did not suffice.
    samples : int
        How many were taken.
    leaves : int
        How many leaves the tree has whose value is not known beforehand.
    """

    moves: Any
    low: Floats
    high: Floats
    means: Floats
    best_move: Any
    sure: bool
    samples: int
    leaves: int


def identify_move(
    board: Playable,
    depth: int = 2,
    rule: str = "lucb",
    *,
    delta: float = 0.05,
    epsilon: float = 0.05,
    rate: str = "mixture",
    playouts: str = "uniform",
    most: int = 10_000_000,
    seed: int = 0,
) -> MoveIntervals:
    """Sample playouts behind all positions of some depth until a move is surely the best.

    The guarantee is for the minimax value of random playouts at this depth, not for the value of the game. More samples
    do not correct what random playouts overlook. A game that ends on the way has its value, without samples.

    Parameters
    ----------
    board : object with a ``game``
        The position, such as a ``connect4.Board``; not changed.
    depth : int, default 2
        Moves from the position to the leaves, at least 1. The tree has at most 2,000,000 positions, and is at most
        `most_plies` deep.
    rule : str, default "lucb"
        "lucb" samples the move of the highest mean and its strongest rival. "ugape" takes the move that the others can
        exceed least and its strongest rival, and samples the less certain one.
    delta : float, default 0.05
        Probability of a wrong move, in (0, 1).
    epsilon : float, default 0.05
        A move is right if its value is within epsilon of the best, in [0, 1). With 0, equal moves are never told apart.
    rate : str, default "mixture"
        Width of the intervals. The mean q of a leaf lies where n kl(mean of n samples, q) is at most a level. Let
        x = ln(leaves / delta). "mixture" has the level C(x) + 3 ln(1 + ln n), which is proved (Kaufmann and Koolen,
        JMLR 22 (2021), theorem 9). "paper" has x + 3 ln x + 3/2 ln(1 + ln n), which lemma 7 of the paper proves for the
        wider intervals of Hoeffding. "heuristic" has x + ln(1 + ln n).
    playouts : str, default "uniform"
        The game's playouts by name.
    most : int, default 10,000,000
        Samples after which the search ends without being sure.
    seed : int, default 0
        At least 0; the same seed gives the same samples.

    Returns
    -------
    MoveIntervals

    Raises
    ------
    ValueError
        A finished board, unknown playouts, a number out of its range, or a tree that is too large.

    Examples
    --------
    >>> from connect4 import Board
    >>> answer = identify_move(Board(), depth=1, delta=0.1, seed=0)
    >>> answer.best_move, answer.sure, answer.leaves
    (3, True, 7)
    """
    game, question = game_of(board), _Question(rule, delta, epsilon, rate, most, seed)
    playout = game.playout(playouts)
    depth = min(checks.check_whole("depth", depth, 1), game.most_plies)
    tree = grow(game, depth)
    moves, names = game.legal_moves(), names_of(game)
    answer = question.answer(tree, moves, playout, depth % 2 == 1, (game,))
    if names is None:
        return answer
    named = [names[move] for move in moves.tolist()]
    return dataclasses.replace(answer, moves=named, best_move=names[answer.best_move])


def identify_branch(
    means: npt.ArrayLike,
    rule: str = "lucb",
    *,
    delta: float = 0.05,
    epsilon: float = 0.05,
    rate: str = "mixture",
    most: int = 10_000_000,
    seed: int = 0,
) -> MoveIntervals:
    """Sample the leaves of a full tree, coins of given means, until a move is surely the best.

    Parameters
    ----------
    means : float64[K, ..., K]
        Means of the leaves in [0, 1], for the side to move at the root. The first axis is its move, the second the
        reply, and so on. The axes may have different lengths.
    rule, delta, epsilon, rate, most, seed
        As of `identify_move`.

    Returns
    -------
    MoveIntervals
        Moves are indices of the first axis.

    Raises
    ------
    ValueError
        An array without an axis or an entry, or a number out of its range.

    Examples
    --------
    >>> answer = identify_branch([[0.7, 0.4], [0.6, 0.8]], epsilon=0.0)  # values 0.4 and 0.6
    >>> answer.best_move, answer.sure
    (1, True)
    """
    question = _Question(rule, delta, epsilon, rate, most, seed)
    tree = full_tree(_means(means))
    return question.answer(tree, np.arange(tree.children[0]), coin, False, ())


@dataclass(frozen=True)
class _Question:
    """The arguments that both searches share, checked; see `identify_move`."""

    rule: str
    delta: float
    epsilon: float
    rate: str
    most: int
    seed: int

    def __post_init__(self) -> None:
        for name, known in (("rule", RULES), ("rate", RATES)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}; got {getattr(self, name)!r}")
        checked = {
            "delta": checks.number("delta", self.delta, 0.0, 1.0, above=True, below=True),
            "epsilon": checks.number("epsilon", self.epsilon, 0.0, 1.0, below=True),
            "most": checks.check_whole("most", self.most, 1, most=MOST_SAMPLES),
            "seed": checks.check_whole("seed", self.seed, 0),
        }
        for name, value in checked.items():  # as Python's own numbers, which kernels take
            object.__setattr__(self, name, value)

    def answer(
        self, tree: Tree, moves: Words, playout: Playout, flipped: bool, users: tuple[Any, ...]
    ) -> MoveIntervals:
        """Sample the leaves of a tree until a move is sure; `flipped` if playouts are those of the other side."""
        leaves = int(((tree.children == 0) & (tree.low < tree.high)).sum())
        base, growth = RATES[self.rate](math.log(max(leaves, 1) / self.delta))
        aim = Aim(RULES[self.rule], self.epsilon, base, growth, flipped, self.most)
        rng = streams_of(self.seed, Purpose.SURE_SEARCH)
        answer = Answer(0, 0, moves.size == 1)
        with user_errors(users):
            while not answer.sure and answer.samples < self.most:
                pause = answer.samples + _SAMPLES_A_CALL
                answer = sample_until_sure(address_of(playout), tree, aim, rng, answer.samples, pause)
        root = slice(int(tree.child[0]), int(tree.child[0] + tree.children[0]))
        return MoveIntervals(
            moves,
            tree.low[root].copy(),
            tree.high[root].copy(),
            tree.means[root].copy(),
            int(moves[answer.child]),
            bool(answer.sure),
            int(answer.samples),
            leaves,
        )


def _means(means: npt.ArrayLike) -> Floats:
    try:
        leaves = np.ascontiguousarray(means, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"means must be an array of numbers with rows of equal length; got {means!r}") from None
    if np.ndim(means) == 0 or leaves.size == 0:
        raise ValueError(f"means must have at least one axis and one leaf; got the shape {np.shape(means)}")
    if not ((leaves >= 0.0) & (leaves <= 1.0)).all():
        raise ValueError(f"means must lie in [0, 1]; got {leaves.min()} to {leaves.max()}")
    return leaves
