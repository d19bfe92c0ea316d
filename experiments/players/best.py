"""The strongest search: UCT with every option that measurably helps in Connect 4."""

from __future__ import annotations

import functools
from typing import Any

from connect4 import Board
from connect4.kernels.exact import in_plies
from connect4.solver.book import Book
from connect4.solver.solver import PACKAGED, book_of
from mcts import UCTPlayer
from mcts.parallel import AnySearch, ParallelSearch
from mcts.tree_search import Search
from numerics.parameters import parameter


class BestUCTPlayer(
    UCTPlayer,
    name="uct_best",
    policy="puct",
    playouts="careful",
    solve=True,
    transpositions=True,
    tactics=True,
    exact=True,
    prior="lines",
):
    """Searches as uct does, with the options that are best for Connect 4 together.

    Threats and follow-up play decide nodes early. Playouts give no winning cell away and avoid the cells below their
    own. A prior favours cells with many lines, transpositions share their statistics, and proven values are backed up.
    Two thirds of the time are spent on an exact search of the moves, which sees who wins with the last stones.
    `docs/measured/search.md` has the measurements.

    With a book, the player looks up positions whose moves all have scores there, instead of searching them. It plays
    the move of the best score: the shortest win, a draw, or the longest defence.
    """

    book: str | None = parameter(
        None, help="exact scores of early positions: packaged, or a file of python -m connect4.solver.build_book"
    )

    def check(self) -> None:
        """Check what goes together, and read a book that is a file."""
        super().check()
        if self.book is not None and not self.exact:
            raise ValueError("book must be left out unless exact is true")
        if self.book is not None and self.book != PACKAGED:
            Book.load(self.book)

    def check_board(self, board: Any) -> None:
        """Refuse a board that the search or the book cannot take."""
        super().check_board(board)
        if self.book is not None:
            if not isinstance(board, Board):
                raise ValueError(f"book must be left out for games other than Connect 4; got {self.book!r}")
            _book(self.book, (board.width, board.height, board.connect))

    def begin(self, board: Any) -> AnySearch:
        """Return the search of a position, before its budget is spent."""
        search = super().begin(board)
        if self.book is not None and isinstance(board, Board) and isinstance(search, Search | ParallelSearch):
            search.know(_scores(_book(self.book, (board.width, board.height, board.connect)), board))
        return search


@functools.lru_cache(maxsize=4)
def _book(book: str, size: tuple[int, int, int]) -> Book:
    """Return the book of a board, read once.

    Raises
    ------
    ValueError
        A book that cannot be read or is for another board, or none in the package.
    """
    found = book_of(book, size)
    if found is None:
        width, height, connect = size
        raise ValueError(
            f"book must be a file or null; the package has no book for {width}x{height} with {connect} in a row; "
            f"got {book!r}"
        )
    return found


def _scores(book: Book, board: Board) -> dict[int, int]:
    """Return the score of each move in plies, as `numerics.games.Narrow` has it; nothing unless the book has them all.

    Moves that end the game are left out.
    """
    left = board.width * board.height - board.plies - 1
    plies: Any = in_plies
    scores: dict[int, int] = {}
    for column in board.legal_moves() if board.plies < book.plies else ():
        after = board.copy()
        after.play(column)
        if after.is_finished():
            continue
        score = book.score(after)
        if score is None:
            return {}
        scores[column] = -int(plies(score, left))  # `score` is that of the other side
    return scores
