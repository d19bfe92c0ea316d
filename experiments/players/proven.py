"""The exact score of a position, or the bounds of it that are proven within a time."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass

from connect4 import Board
from experiments.players.perfect import solver_of


@dataclass(frozen=True)
class Bounds:
    """Proven bounds of a score, equal when it is known."""

    low: int
    high: int

    @property
    def score(self) -> int | None:
        """The score, where it is known."""
        return self.low if self.low == self.high else None

    @property
    def value(self) -> float | None:
        """1, 1/2 or 0, where it is known.

        Examples
        --------
        >>> Bounds(1, 5).value, Bounds(0, 0).value, Bounds(-2, 0).value
        (1.0, 0.5, None)
        """
        if self.low > 0:
            return 1.0
        if self.high < 0:
            return 0.0
        return 0.5 if self.low == self.high else None

    def turned(self) -> Bounds:
        """Return the bounds as the other side sees them."""
        return Bounds(-self.high, -self.low)


@functools.lru_cache(maxsize=1 << 17)
def bounds_of(board: Board, seconds: float) -> Bounds:
    """Return the bounds that are proven in `seconds` for an undecided position, for the side to move.

    Positions are cached, because games of one run begin alike. The board must not be changed afterwards.
    """
    with solver_of(board) as solver:
        solution = solver.solve(board, seconds=seconds)
    return Bounds(solution.low, solution.high)


def after_move(board: Board, column: int, seconds: float) -> Bounds:
    """Return the bounds that are proven after a legal move, for the side that makes it."""
    after, score = _play(board, column)
    return bounds_of(after, seconds).turned() if score is None else Bounds(score, score)


def _play(board: Board, column: int) -> tuple[Board, int | None]:
    """Return the board after a legal move, and the score of a game that ends with it, for the side that makes it."""
    after = board.copy()
    after.play(column)
    if after.winner():
        return after, (board.width * board.height + 1 - board.plies) // 2
    return after, 0 if after.is_finished() else None


def scores_within(board: Board, seconds: float, stop: Callable[[], bool]) -> list[int | None] | None:
    """Return the exact score of a stone on each column, None for a full one; or None where not all are proven.

    Parameters
    ----------
    board : Board
        A position whose game goes on.
    seconds : float
        For all columns together, at most.
    stop : callable
        Asked some thirty times a second whether to give up.

    Raises
    ------
    ValueError
        A board too large to be solved.

    Examples
    --------
    >>> scores_within(Board(5, 4), 10.0, lambda: False)
    [-1, 0, 0, 0, -1]
    """
    end = time.monotonic() + seconds
    scores: list[int | None] = [None] * board.width
    with solver_of(board) as solver:
        for column in board.legal_moves():
            after, score = _play(board, column)
            if score is None:
                proven = solver.solve(after, stop=lambda: stop() or time.monotonic() > end).score
                if proven is None:
                    return None
                score = -proven
            scores[column] = score
    return scores
