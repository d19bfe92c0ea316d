"""Players that know the exact score of every move: `perfect` never plays a worse one, `graded` does so at a rate.

They stand here because they need both the solver of connect4 and the search of mcts, which do not know each other.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from connect4 import Board, Solver
from connect4.board import for_player
from mcts import Search
from mcts.streams import STREAMS
from numerics.parameters import parameter
from numerics.players import Player

_MOST_SIMULATIONS = 10**9
_SLIP = STREAMS  # the row of the stream that decides on worse moves, after those of the search


@contextlib.contextmanager
def solver_of(board: Board) -> Iterator[Solver]:
    """Yield a solver of a board's size that no other thread uses meanwhile.

    Idle solvers are kept for the next caller. So a process has no more solvers of a size, with their tables, than it
    has had threads that solved at the same time. Solvers of four sizes are kept. A score is the same whatever a table
    has learnt before.

    Raises
    ------
    ValueError
        A board too large to be solved.

    Examples
    --------
    >>> with solver_of(Board(5, 4)) as solver:
    ...     solver.scores(Board(5, 4))
    [-1, 0, 0, 0, -1]
    """
    free = _idle_solvers(board.width, board.height, board.connect)
    try:
        solver = free.pop()
    except IndexError:
        solver = Solver(board.width, board.height, board.connect)
    try:
        yield solver
    finally:
        free.append(solver)


@functools.lru_cache(maxsize=4)
def _idle_solvers(width: int, height: int, connect: int) -> list[Solver]:
    """Return the idle solvers of a size; solvers of the sizes used last are kept."""
    return []


class PerfectPlayer(Player, name="perfect"):
    """Plays a move of the best exact score: it wins as soon as it can, and loses as late.

    Of several best moves it plays the one that a search for itself visits most. There an opponent who errs at random
    gives most away. Ties in visits are broken by the mean of the search, then by the lower column.

    The search is UCT with ucb, c = 1 and uniform playouts; it is left out where one move is best.
    """

    streams: ClassVar[int] = STREAMS
    budgets: ClassVar[tuple[str, ...]] = ()  # the search decides between equal moves only
    simulations: int = parameter(1_000, low=1, most=_MOST_SIMULATIONS, help="of the search between equal moves")

    def check(self) -> None:
        """Begin without knowledge of any position."""
        self.value: float | None = None

    def check_board(self, board: Board) -> None:
        """Refuse a position of another game, and a board that cannot be solved.

        Raises
        ------
        ValueError
            A board without a bitboard.
        """
        board = for_player(self.name, board)
        try:
            with solver_of(board):
                pass
        except ValueError as error:
            raise ValueError(f"{error}, which the player {self.name} needs") from None

    def play(self, board: Board) -> int:
        """Return the column to play; `value` is then 1, 1/2 or 0, the result of best play for the side to move."""
        scores = exact_scores(for_player(self.name, board))
        best = max(score for score in scores if score is not None)
        self.value = 0.5 + 0.5 * ((best > 0) - (best < 0))
        return self.choose(board, scores)

    def choose(self, board: Board, scores: Sequence[int | None]) -> int:
        """Return the column to play, where the exact scores are known."""
        best = of_best_score(scores)
        if len(best) == 1:
            return best[0]
        search = Search(board, simulations=self.simulations, rng=self.rng[:STREAMS])
        search.run(self.simulations)
        result = search.result()
        ranks = {
            int(move): (visits, mean)
            for move, visits, mean in zip(
                result.moves, result.visits, np.nan_to_num(result.values, nan=-1.0), strict=True
            )
        }
        return max(best, key=lambda column: (*ranks[column], -column))


class GradedPlayer(PerfectPlayer, name="graded"):
    """Plays perfectly, but worse at some moves: a legal move of a lower score than the best, at random.

    At every move it draws from a separate stream, which no search advances, whether to play worse. If so, each legal
    move whose exact score is below the best one is equally likely, also one that keeps win, draw or loss; where all
    moves have one score, it plays perfectly. With the same seed it plays worse at a higher rate wherever it does so at
    a lower one, as long as the games are the same.
    """

    streams: ClassVar[int] = STREAMS + 1
    rate: float = parameter(
        0.1, low=0.0, high=1.0, help="how often it plays worse: from 0, as perfect, to 1, wherever it can"
    )

    def choose(self, board: Board, scores: Sequence[int | None]) -> int:
        """Return the column to play, where the exact scores are known."""
        worse = of_lower_score(scores)
        slip, which = self.uniform(_SLIP), self.uniform(_SLIP)
        if worse and slip < self.rate:
            return worse[min(int(which * len(worse)), len(worse) - 1)]
        return super().choose(board, scores)


def exact_scores(board: Board) -> list[int | None]:
    """Return the exact score of a stone on each column for the side to move; None for a full one.

    Raises
    ------
    ValueError
        A finished board, or one too large to be solved.
    """
    with solver_of(board) as solver:
        return solver.scores(board)


def of_best_score(scores: Sequence[int | None]) -> list[int]:
    """Return the columns of the best score.

    Examples
    --------
    >>> of_best_score([-1, None, 3, 3]), of_lower_score([-1, None, 3, 3])
    ([2, 3], [0])
    """
    top = max(score for score in scores if score is not None)
    return [column for column, score in enumerate(scores) if score == top]


def of_lower_score(scores: Sequence[int | None]) -> list[int]:
    """Return the legal columns of a lower score than the best."""
    best = of_best_score(scores)
    return [column for column, score in enumerate(scores) if score is not None and column not in best]
