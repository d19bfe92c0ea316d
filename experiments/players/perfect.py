"""Players that know the exact score of every move: `perfect` never plays a worse one, `graded` does so at a rate.

They play Connect 4, and any game whose positions have `scores()`. They stand here because they need both the solver of
connect4 and the search of mcts, which do not know each other.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from connect4 import Board, Solver
from connect4.board import for_player, is_of_another_game
from connect4.solver.solver import check_solvable
from mcts import Search
from mcts.ordinary.boards import game_of
from mcts.streams import STREAMS
from numerics.parameters import parameter
from numerics.players import Player
from numerics.positions import moves_of, scores_of

_MOST_SIMULATIONS = 10**9
_OTHERS = "a position with scores()"
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
    check_solvable(board)
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
    gives most away. Ties in visits are broken by the mean of the search, then by the order of the moves.

    The search is UCT with ucb, c = 1 and uniform playouts; it is left out where one move is best.
    """

    streams: ClassVar[int] = STREAMS
    budgets: ClassVar[tuple[str, ...]] = ()  # the search decides between equal moves only
    simulations: int = parameter(
        1_000, low=1, most=_MOST_SIMULATIONS, help="simulations of the search that chooses between equal moves"
    )

    def check(self) -> None:
        """Begin without knowledge of any position."""
        self.value: float | None = None

    def check_board(self, board: Any) -> None:
        """Refuse a position whose exact scores nobody knows.

        Raises
        ------
        ValueError
            A board that is too large to be solved, or a position of another game without `scores()`.
        """
        if is_of_another_game(board):
            game_of(board)
            scores_of(board)
            return
        board = for_player(self.name, board, _OTHERS)
        try:
            check_solvable(board)
        except ValueError as error:
            raise ValueError(f"{error} (required by the player {self.name})") from None

    def play(self, board: Any) -> Any:
        """Return the move to play; `value` is then 1, 1/2 or 0, the result of best play for the side to move."""
        board = board if is_of_another_game(board) else for_player(self.name, board, _OTHERS)
        scores = exact_scores(board)
        best = max(score for score in scores if score is not None)
        self.value = 0.5 + 0.5 * ((best > 0) - (best < 0))
        return self.choose(board, scores)

    def choose(self, board: Any, scores: Sequence[int | None]) -> Any:
        """Return the move to play, where `exact_scores` are known."""
        moves, best = moves_scored(board), of_best_score(scores)
        if len(best) == 1:
            return moves[best[0]]
        search = Search(board, simulations=self.simulations, rng=self.rng[:STREAMS])
        search.run(self.simulations)
        result = search.result()
        ranks = {
            move: (visits, mean)
            for move, visits, mean in zip(
                result.moves, result.visits, np.nan_to_num(result.values, nan=-1.0), strict=True
            )
        }
        return moves[max(best, key=lambda place: (*ranks[moves[place]], -place))]


class GradedPlayer(PerfectPlayer, name="graded"):
    """Plays perfectly, but worse at some moves: a legal move of a lower score than the best, at random.

    At every move it draws from a separate stream, which no search advances, whether to play worse. If so, each legal
    move whose exact score is below the best one is equally likely, even if it keeps the value. If all moves have the
    same score, it plays perfectly. With the same seed, worse moves at a lower rate are also made at a higher rate, as
    long as the games are the same.
    """

    streams: ClassVar[int] = STREAMS + 1
    rate: float = parameter(
        0.1, low=0.0, high=1.0, help="probability of a worse move: 0 is perfect play, 1 always errs if it can"
    )

    def choose(self, board: Any, scores: Sequence[int | None]) -> Any:
        """Return the move to play, where `exact_scores` are known."""
        worse = of_lower_score(scores)
        slip, which = self.uniform(_SLIP), self.uniform(_SLIP)
        if worse and slip < self.rate:
            return moves_scored(board)[worse[min(int(which * len(worse)), len(worse) - 1)]]
        return super().choose(board, scores)


def moves_scored(board: Any) -> Sequence[Any]:
    """Return the moves in the order of `exact_scores`: in Connect 4 all columns, also full ones."""
    return range(board.width) if isinstance(board, Board) else moves_of(board)


def exact_scores(board: Any) -> Sequence[int | None]:
    """Return the exact score of each of `moves_scored` for the side to move; None for a full column of Connect 4.

    Raises
    ------
    ValueError
        A finished board, one too large to be solved, or a position whose class has no `scores()`.
    """
    if not isinstance(board, Board):
        return scores_of(board)
    with solver_of(board) as solver:
        return solver.scores(board)


def of_best_score(scores: Sequence[int | None]) -> list[int]:
    """Return the places of the best score, which are columns in Connect 4.

    Examples
    --------
    >>> of_best_score([-1, None, 3, 3]), of_lower_score([-1, None, 3, 3])
    ([2, 3], [0])
    """
    top = max(score for score in scores if score is not None)
    return [place for place, score in enumerate(scores) if score == top]


def of_lower_score(scores: Sequence[int | None]) -> list[int]:
    """Return the places of lower scores than the best."""
    best = of_best_score(scores)
    return [place for place, score in enumerate(scores) if score is not None and place not in best]
