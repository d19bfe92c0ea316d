"""The exact value of a position: `solve`, `analyse`, and a `Solver` whose table serves many positions.

Scores follow Pascal Pons, under best play of both sides: 0 is a draw. A side whose next stone wins, on a board of
p stones, gets (cells + 1 - p) // 2, and the loser the negative. So +1 is a win with the winner's last stone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from connect4.board import Board
from connect4.kernels import negamax
from connect4.kernels.encode import form_for, is_wide
from connect4.kernels.exact import geometry, stack_of
from connect4.solver.book import Book, packaged_book
from connect4.solver.results import Analysis, Solution
from numerics import checks
from numerics.kernels.jit import compile_now
from numerics.kernels.words import bitboards_to_words

PACKAGED = "packaged"  # the book that comes with this package
TABLE_BITS = 23  # 2 ** 23 entries of 8 bytes
_LEAST_BITS, _MOST_BITS = 14, 34
MOST_EMPTY = 40  # cells of a position of more than 64 bits: 24 of self-play took at most 8.4 million nodes, 4 s
_PIECE = 2_000_000  # nodes between two chances to interrupt a search
_WATCHED_PIECE = 200_000  # nodes between two calls of `stop`: about 30 ms
_FIRST_PIECE = 1_000  # nodes before the first look at the clock: about a fifth of a millisecond


class Solver:
    """Solves positions of one board size; its table is kept from one position to the next.

    Parameters
    ----------
    width, height, connect : int, default 7, 6, 4
        The board.
    table_bits : int, default 23
        The table has 2 ** table_bits entries of 8 bytes.
    book : Book, path or None, default "packaged"
        Scores of early positions, looked up instead of searched. A `solver.book.Book`, the path of a book, "packaged"
        or None. "packaged" is the book of this package, for 7 x 6 with four in a row. Other boards have none.

    Attributes
    ----------
    nodes : int
        Positions searched so far, of all calls together.
    book : Book or None
        The book in use.

    Raises
    ------
    ValueError
        A size out of range, a table larger than memory, or a book that is invalid or for another board.

    Notes
    -----
    On a board of more than 64 bits, columns x (rows + 1), only positions with at most 40 empty cells are solved without
    a budget.
    """

    def __init__(
        self,
        width: int = 7,
        height: int = 6,
        connect: int = 4,
        table_bits: int = TABLE_BITS,
        book: Book | str | Path | None = PACKAGED,
    ):
        board = Board(width, height, connect)
        bits = checks.check_whole("table_bits", table_bits, _LEAST_BITS, _MOST_BITS)
        self.size: tuple[int, int, int] = (board.width, board.height, board.connect)
        self.cells: int = board.width * board.height
        self.book: Book | None = book_of(book, self.size)
        self._board, self._bits = board, bits
        try:
            self._table = np.zeros(1 << bits, dtype=np.uint64)
        except MemoryError:
            raise ValueError(f"table_bits must give a table that fits in memory; got {bits}") from None
        self.nodes = 0

    def clear(self) -> None:
        """Forget all positions."""
        self._table[:] = 0

    def solve(
        self,
        board: Board,
        *,
        nodes: int | None = None,
        seconds: float | None = None,
        weak: bool = False,
        stop: Callable[[], bool] | None = None,
    ) -> Solution:
        """Return the exact score of a position, or bounds where the budget is too small.

        Parameters
        ----------
        board : Board
            Of this solver's size, not finished; not changed.
        nodes, seconds : optional
            Stop after so many positions or so much time, whichever comes first. The first look at the clock comes
            after 1,000 positions; the memory of a new solver's table takes some milliseconds more.
        weak : bool, default False
            Decide only win, draw or loss, which is faster: the bounds then give the sign of the score only.
        stop : callable, optional
            Called some thirty times a second; the search stops when it returns True.

        Raises
        ------
        ValueError
            Another size, a finished board, too many empty cells without a budget, or a budget out of its range.

        Examples
        --------
        >>> Solver().solve(Board.from_moves("44455554221")).score
        -15
        """
        self._check(board, in_full=nodes is None and seconds is None and stop is None)
        if self._looked_up(board) is None:
            compile_now(form_for(board, negamax.solve))  # first, so that no position's time includes it
        budget = _Budget(nodes, seconds, stop)
        low, high = self._range(board)
        if weak:
            low, high = max(low, -1), min(high, 1)
        low, high = self._narrowed(board, low, high, budget)
        if weak and low > 0:  # the widest bounds that a score of this sign can have
            high = (self.cells + 1) // 2
        elif weak and high < 0:
            low = -(self.cells // 2)
        return Solution(low, high, budget.nodes, budget.spent)

    def solve_many(self, boards: Iterable[Board]) -> list[int]:
        """Return the exact score of each of many positions, faster than one call for each.

        Parameters
        ----------
        boards : iterable of Board
            Of this solver's size, not finished; not changed.

        Raises
        ------
        ValueError
            Another size, a finished board or too many empty cells; then no position is solved.

        Examples
        --------
        >>> Solver().solve_many([Board.from_moves("4455"), Board.from_moves("44455554221")])
        [18, -15]
        """
        searched: list[Board] = []
        known: list[int | None] = []
        for board in boards:
            self._check(board)
            score = self._looked_up(board)
            if score is None:
                searched.append(board)
            known.append(score)
        if not searched:
            return [score for score in known if score is not None]
        bounds = np.array([self._range(board) for board in searched], dtype=np.int64)
        self._narrow(searched, bounds, _Budget(None, None))
        found_scores: list[int] = bounds[:, 0].tolist()
        if len(found_scores) == len(known):
            return found_scores
        found = iter(found_scores)
        return [next(found) if score is None else score for score in known]

    def scores(self, board: Board) -> list[int | None]:
        """Return the exact score of a stone on each column for the side to move; None for a full one."""
        self._check(board)
        best = self._looked_up(board)  # every reply gives the other side at least -best
        scores: list[int | None] = []
        for column in range(board.width):
            if board.heights[column] == board.height:
                scores.append(None)
                continue
            after = board.copy()
            after.play(column)
            score = self._ended(after)
            if score is None:
                low, high = self._range(after)
                low = low if best is None else max(low, -best)
                score = self._narrowed(after, low, high, _Budget(None, None))[0]
            scores.append(-score)
        return scores

    def variation(self, board: Board) -> list[int]:
        """Return best play of both sides from a position to the end of the game, the leftmost column of equals.

        Examples
        --------
        >>> Solver().variation(Board.from_moves("4455"))
        [2, 0, 1]
        """
        score, line, board = self.solve(board).low, [], board.copy()
        while not board.is_finished():
            for column in board.legal_moves():
                after = board.copy()
                after.play(column)
                reached = self._ended(after)
                if reached is None:  # it is at least -score: prove only whether it is equal
                    reached = self._narrowed(after, -score, 1 - score, _Budget(None, None))[0]
                if reached <= -score:
                    break
            line.append(column)
            board, score = after, -score
        return line

    @property
    def _geometry(self) -> npt.NDArray[np.int64]:
        """The words that describe the board and the table to the kernel."""
        return geometry(*self.size, self._bits)

    def _check(self, board: Board, *, in_full: bool = True) -> None:
        check_is_a_board(board)
        if (board.width, board.height, board.connect) != self.size:
            raise ValueError(
                f"board must be of the solver's size {self.size}; got {(board.width, board.height, board.connect)}"
            )
        if board.is_finished():
            raise ValueError(f"board must be a position that is not finished; got {checks.show(board)}")
        if in_full:
            check_solvable(board)

    def _range(self, board: Board) -> tuple[int, int]:
        """Return the least and the greatest score of any position with this many stones."""
        return -((self.cells - board.plies) // 2), (self.cells + 1 - board.plies) // 2

    def _ended(self, board: Board) -> int | None:
        """Return the score of a finished game for the side that would move next, or None."""
        if board.winner():
            return -((self.cells + 2 - board.plies) // 2)
        return 0 if board.is_full() else None

    def _looked_up(self, board: Board) -> int | None:
        book = self.book
        return None if book is None or board.plies > book.plies else book.score(board)

    def _narrowed(self, board: Board, low: int, high: int, budget: _Budget) -> tuple[int, int]:
        """Return the score clipped to a range, as equal bounds; a wider range where the budget is too small."""
        score = self._looked_up(board)
        if score is not None:
            score = max(low, min(high, score))
            return score, score
        bounds = np.array([[low, high]], dtype=np.int64)
        self._narrow([board], bounds, budget)
        return int(bounds[0, 0]), int(bounds[0, 1])

    def _narrow(self, boards: list[Board], bounds: npt.NDArray[np.int64], budget: _Budget) -> None:
        """Search positions one after the other, in pieces, until their bounds meet or the budget is spent."""
        solve, wide = form_for(self._board, negamax.solve), is_wide(*self.size[:2])
        stones = [side for one in boards for side in (one.stones(one.to_move), one.stones(1) | one.stones(-1))]
        positions = bitboards_to_words(stones, wide=wide).reshape(len(boards), -1)
        state = np.zeros(negamax.STATE_WORDS, dtype=np.int64)
        stack, rows = stack_of(*self.size[:2], wide=wide)
        while (piece := budget.piece()) > 0:
            state[negamax.STOPPED], state[negamax.MOST_NODES] = 0, state[negamax.NODES] + piece
            solve(positions, bounds, state, self._table, stack, rows, self._geometry)
            self.nodes += int(state[negamax.NODES]) - budget.nodes
            budget.nodes = int(state[negamax.NODES])
            if not state[negamax.STOPPED]:
                break


class _Budget:
    """The remaining nodes and seconds; the clock is read between pieces of a search."""

    def __init__(self, nodes: int | None, seconds: float | None, stop: Callable[[], bool] | None = None):
        self._stop = stop
        self._most = None if nodes is None else checks.check_whole("nodes", nodes, 1)
        self._seconds = None if seconds is None else checks.number("seconds", seconds, 0.0, above=True)
        self._start = time.perf_counter()
        self.nodes = 0

    @property
    def spent(self) -> float:
        return time.perf_counter() - self._start

    def piece(self) -> int:
        """Return how many nodes the next piece may take; 0 or less if the budget is spent."""
        piece = _PIECE
        if self._stop is not None:
            if self._stop():
                return 0
            piece = _WATCHED_PIECE
        if self._seconds is not None:
            left = self._seconds - self.spent
            if left <= 0.0:
                return 0
            piece = min(piece, int(self.nodes / self.spent * left) + 1) if self.nodes else _FIRST_PIECE
        return piece if self._most is None else min(piece, self._most - self.nodes)


def book_of(book: Any, size: tuple[int, int, int]) -> Book | None:
    """Return the book that an argument `book` means for a board; None if the package has none for it.

    Raises
    ------
    ValueError
        A book that cannot be read, or is for another board.
    """
    if book is None or isinstance(book, Book):
        loaded = book
    elif book == PACKAGED:
        return packaged_book(*size)
    elif isinstance(book, (str, Path)):
        loaded = Book.load(book)
    else:
        raise ValueError(f"book must be a Book, the path of one, {PACKAGED!r} or None; got {book!r}")
    if loaded is not None and loaded.size != size:
        raise ValueError(f"book must be of the board {size} (width, height, connect); got one of {loaded.size}")
    return loaded


def check_is_a_board(board: Any) -> None:
    """Raise ValueError for anything but a Board, such as a string of moves."""
    if not isinstance(board, Board):
        moves = f", as Board.from_moves({board!r})" if isinstance(board, str) else ""
        raise ValueError(f"board must be a Board{moves}; got {checks.show(board)}")


def check_solvable(board: Board) -> None:
    """Raise ValueError for a position with more than 40 empty cells on a board of more than 64 bits.

    Examples
    --------
    >>> check_solvable(Board(9, 9))
    Traceback (most recent call last):
    ValueError: board must have at most 40 empty cells if it has more than 64 bits; got 9x9 with 81 empty cells
    """
    if is_wide(board.width, board.height) and board.empty_cells > MOST_EMPTY:
        raise ValueError(
            f"board must have at most {MOST_EMPTY} empty cells if it has more than 64 bits; "
            f"got {board.width}x{board.height} with {board.empty_cells} empty cells"
        )


def solve(
    board: Board,
    *,
    nodes: int | None = None,
    seconds: float | None = None,
    weak: bool = False,
    book: Book | str | Path | None = PACKAGED,
) -> Solution:
    """Return the exact score of one position; see `Solver.solve`, and `Solver` for the book.

    Examples
    --------
    >>> solve(Board.from_moves("4455")).score
    18
    """
    check_is_a_board(board)
    solver = Solver(board.width, board.height, board.connect, book=book)
    return solver.solve(board, nodes=nodes, seconds=seconds, weak=weak)


def analyse(board: Board, solver: Solver | None = None) -> Analysis:
    """Return the exact score of every column, the best columns and best play to the end.

    Examples
    --------
    >>> analyse(Board.from_moves("44455554221")).scores
    (-15, -15, -15, -15, -15, -15, -15)
    """
    check_is_a_board(board)
    if not isinstance(solver, Solver | None):
        raise ValueError(f"solver must be a Solver, such as Solver(7, 6); got {checks.show(solver)}")
    solver = Solver(board.width, board.height, board.connect) if solver is None else solver
    check_solvable(board)
    compile_now(form_for(board, negamax.solve))  # first, so that the seconds do not include it
    start, before = time.perf_counter(), solver.nodes
    scores = solver.scores(board)
    variation = solver.variation(board)
    nodes, seconds = solver.nodes - before, time.perf_counter() - start
    top = max(score for score in scores if score is not None)
    best = tuple(column for column, score in enumerate(scores) if score == top)
    return Analysis(board.copy(), tuple(scores), best, tuple(variation), nodes, seconds)
