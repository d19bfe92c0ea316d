"""The exact value of a position: `solve`, `analyse`, and a `Solver` whose table serves many positions.

Scores are those of Pascal Pons: 0 is a draw; a side that wins, both playing their best, with a stone put on a board of
p stones gets (cells + 1 - p) // 2; the loser gets the negative of it. So +1 is a win with the last stone of one's own.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from connect4.board import Board
from connect4.kernels import bitboard_state, fits_bitboard
from numerics import checks

TABLE_BITS = 23  # 2 ** 23 entries of 8 bytes
_LEAST_BITS, _MOST_BITS = 14, 34
_MOST_CELLS = 126  # of a score that fits an entry
_LOOK = 200_000  # nodes between two looks at the clock


@dataclass(frozen=True)
class Solution:
    """What is proven of a position for the side to move.

    Attributes
    ----------
    low, high : int
        Bounds of the score; equal when it is known.
    nodes : int
        Positions searched.
    seconds : float
        Of wall time.
    """

    low: int
    high: int
    nodes: int
    seconds: float

    @property
    def score(self) -> int | None:
        """The exact score, or None where only bounds are known."""
        return self.low if self.low == self.high else None

    @property
    def value(self) -> float | None:
        """1 for a win, 1/2 for a draw, 0 for a loss, or None where the bounds do not tell."""
        if self.low > 0:
            return 1.0
        if self.high < 0:
            return 0.0
        return 0.5 if self.low == self.high == 0 else None


@dataclass(frozen=True)
class Analysis:
    """The score of every column for the side to move.

    Attributes
    ----------
    scores : tuple of (int or None)
        One a column; None where it is full.
    best : tuple of int
        The columns of the best score, from left to right.
    variation : tuple of int
        Best play from here to the end, the leftmost column of equals.
    nodes : int
        Positions searched.
    seconds : float
        Of wall time.
    """

    scores: tuple[int | None, ...]
    best: tuple[int, ...]
    variation: tuple[int, ...]
    nodes: int
    seconds: float


class Solver:
    """Solves positions of one board size; its table is kept from one position to the next.

    Parameters
    ----------
    width, height, connect : int, default 7, 6, 4
        The board; (height + 1) * width at most 64.
    table_bits : int, default 23
        The table has 2 ** table_bits entries of 8 bytes.

    Attributes
    ----------
    nodes : int
        Positions searched so far, of all calls together.

    Raises
    ------
    ValueError
        A board that has no bitboard.
    """

    def __init__(self, width: int = 7, height: int = 6, connect: int = 4, table_bits: int = TABLE_BITS):
        board = Board(width, height, connect)
        if not fits_bitboard(board.width, board.height) or board.width * board.height > _MOST_CELLS:
            raise ValueError(
                f"board must have (height + 1) * width of at most 64 to be solved; got {board.width}x{board.height}"
            )
        bits = checks.whole("table_bits", table_bits, _LEAST_BITS, _MOST_BITS)
        self.size = (board.width, board.height, board.connect)
        self.cells = board.width * board.height
        _, _, bottom, full, stride, run = bitboard_state(board)
        self._geometry = np.array([bottom, full, stride, run, self.cells, board.width, 64 - bits], dtype=np.int64)
        self._table = np.zeros(1 << bits, dtype=np.uint64)
        self._stack = np.zeros((self.cells + 1, 2 * board.width), dtype=np.int64)
        self.nodes = 0

    def clear(self) -> None:
        """Forget all positions."""
        self._table[:] = 0

    def solve(
        self, board: Board, *, nodes: int | None = None, seconds: float | None = None, weak: bool = False
    ) -> Solution:
        """Return the exact score of a position, or bounds where the budget is too small.

        Parameters
        ----------
        board : Board
            Of this solver's size, not finished; not changed.
        nodes, seconds : optional
            Stop after so many positions or so much time, at the first of both.
        weak : bool, default False
            Tell only win, draw or loss, which is faster: the bounds then say no more than the sign.

        Raises
        ------
        ValueError
            Another size, a finished board, or a budget out of its range.

        Examples
        --------
        >>> Solver().solve(Board.from_moves("44455554221")).score
        -15
        """
        self._check(board)
        budget = _Budget(nodes, seconds)
        low, high = -((self.cells - board.plies) // 2), (self.cells + 1 - board.plies) // 2
        if board.winning_moves():
            return Solution(high, high, 0, budget.spent)
        mine, filled, *_ = bitboard_state(board)
        if weak:
            low, high = max(low, -1), min(high, 1)
        while low < high:
            middle = low + (high - low) // 2
            # Towards 0 first: null windows near a draw are the cheapest and cut the range in half.
            if middle <= 0 and -(-low // 2) < middle:
                middle = -(-low // 2)
            elif middle >= 0 and high // 2 > middle:
                middle = high // 2
            found = self._search(int(mine), int(filled), board.plies, middle, budget)
            if found is None:
                break
            if found <= middle:
                high = min(high, max(found, low))
            else:
                low = max(low, min(found, high))
        if weak:
            low, high = _sign_bounds(low, high, self.cells)
        return Solution(low, high, budget.nodes, budget.spent)

    def _search(self, mine: int, filled: int, plies: int, middle: int, budget: _Budget) -> int | None:
        """Search the window (middle, middle + 1), in pieces where a clock has to be watched; None when time is up."""
        from connect4 import solver_kernel as kernel

        search: Any = kernel.search
        while True:
            counters = np.array([0, budget.piece(), 0], dtype=np.int64)
            if counters[kernel.MOST_NODES] < 0:
                return None
            found = search(mine, filled, plies, middle, middle + 1, self._geometry, self._table, self._stack, counters)
            budget.nodes += int(counters[kernel.NODES])
            self.nodes += int(counters[kernel.NODES])
            if not counters[kernel.STOPPED]:
                return int(found)
            budget.grow()

    def _check(self, board: Board) -> None:
        if (board.width, board.height, board.connect) != self.size:
            raise ValueError(
                f"board must be of the solver's size {self.size}; got {(board.width, board.height, board.connect)}"
            )
        if board.is_finished():
            raise ValueError(f"board must be a position that is not finished; got {board!r}")

    def scores(self, board: Board) -> list[int | None]:
        """Return the exact score of a stone on each column for the side to move; None for a full one."""
        self._check(board)
        found: list[int | None] = []
        for column in range(board.width):
            if board.heights[column] == board.height:
                found.append(None)
                continue
            after = board.copy()
            after.play(column)
            if after.winner():
                found.append((self.cells + 1 - board.plies) // 2)
            elif after.is_finished():
                found.append(0)
            else:
                score = self.solve(after).score
                assert score is not None
                found.append(-score)
        return found


class _Budget:
    """Nodes and seconds that may still be spent; the clock is looked at between pieces of a search."""

    def __init__(self, nodes: int | None, seconds: float | None):
        self._most = None if nodes is None else checks.whole("nodes", nodes, 1)
        self._seconds = None if seconds is None else checks.number("seconds", seconds, 0.0, above=True)
        self._start = time.perf_counter()
        self._piece = _LOOK
        self.nodes = 0

    @property
    def spent(self) -> float:
        return time.perf_counter() - self._start

    def piece(self) -> int:
        """Return how many nodes the next piece may take: 0 without bound, negative when nothing is left."""
        left = None if self._most is None else self._most - self.nodes
        if left is not None and left <= 0:
            return -1
        if self._seconds is None:
            return left or 0
        time_left = self._seconds - self.spent
        if time_left <= 0.0:
            return -1
        piece = self._piece
        if self.nodes > 0:
            piece = min(piece, int(self.nodes / self.spent * time_left) + 1)
        return piece if left is None else min(left, piece)

    def grow(self) -> None:
        """Make the pieces longer: a search that was stopped begins again, with what the table has learnt."""
        self._piece *= 2


def _sign_bounds(low: int, high: int, cells: int) -> tuple[int, int]:
    """Return the widest bounds of a score of which only the sign was looked for."""
    if low > 0:
        return 1, (cells + 1) // 2
    if high < 0:
        return -(cells // 2), -1
    return low, high


def solve(board: Board, *, nodes: int | None = None, seconds: float | None = None, weak: bool = False) -> Solution:
    """Return the exact score of one position; see `Solver.solve`.

    Examples
    --------
    >>> solve(Board.from_moves("4455")).score
    18
    """
    return Solver(board.width, board.height, board.connect).solve(board, nodes=nodes, seconds=seconds, weak=weak)


def analyse(board: Board, solver: Solver | None = None) -> Analysis:
    """Return the exact score of every column, the best columns and best play to the end.

    Examples
    --------
    >>> analyse(Board.from_moves("44455554221")).scores
    (-15, -15, -15, -15, -15, -15, -15)
    """
    solver = Solver(board.width, board.height, board.connect) if solver is None else solver
    start = time.perf_counter()
    before = solver.nodes
    scores = solver.scores(board)
    nodes, seconds = solver.nodes - before, time.perf_counter() - start
    return Analysis(tuple(scores), _best(scores), _variation(board, scores, solver), nodes, seconds)


def _best(scores: Sequence[int | None]) -> tuple[int, ...]:
    top = max(score for score in scores if score is not None)
    return tuple(column for column, score in enumerate(scores) if score == top)


def _variation(board: Board, scores: Sequence[int | None], solver: Solver) -> tuple[int, ...]:
    board, line = board.copy(), []
    while True:
        column = _best(scores)[0]
        board.play(column)
        line.append(column)
        if board.is_finished():
            return tuple(line)
        scores = solver.scores(board)


if __name__ == "__main__":
    from connect4.solver_command import main

    main()
