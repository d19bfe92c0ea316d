"""The board for people: a position of any size from what people write, and every view of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from connect4 import drawing, grids, notation, referee
from connect4.kernels import encode
from connect4.position import Position
from numerics import checks
from numerics.games import Game
from numerics.players import Plays
from numerics.positions import is_position


class Board(Position):
    """A position of Connect 4, with the moves that led to it.

    Parameters
    ----------
    width, height : int, default 7 and 6
        Columns and rows, from 1 to 64; width * (height + 1) is at most 128.
    connect : int, default 4
        Stones in a row that win, from 2 to 64.

    Attributes
    ----------
    to_move : int
        1 or -1, the player who moves next; player 1 begins.
    plies : int
        Stones on the board.

    Raises
    ------
    ValueError
        A size out of range; the sentence names it.

    Examples
    --------
    >>> board = Board()
    >>> board.play(3)
    >>> board.to_move, board.legal_moves(), board.notation
    (-1, [0, 1, 2, 3, 4, 5, 6], '4')
    """

    __slots__ = ()

    @classmethod
    def of_size(cls, size: str, connect: int = 4) -> Board:
        """Return the empty board of a size as a user types it: columns, an x, and rows.

        Raises
        ------
        ValueError
            One sentence that begins with "board" or "connect".

        Examples
        --------
        >>> Board.of_size("5x4").width
        5
        """
        return cls(*notation.size_of(size), connect)

    @classmethod
    def from_moves(
        cls, moves: str | Iterable[int], width: int = 7, height: int = 6, connect: int = 4, *, first: int = 1
    ) -> Board:
        """Return the board after some moves.

        Parameters
        ----------
        moves : str or iterable of int
            A string counts columns from `first` ("4453"; separated by commas where a column has two digits); other
            iterables hold 0-based columns.
        first : int, default 1
            The number of the leftmost column in a string: 1 as Pons writes positions, or 0.

        Raises
        ------
        ValueError
            A move that the rules do not allow; the sentence says which one.

        Examples
        --------
        >>> Board.from_moves("4453") == Board.from_moves([3, 3, 4, 2]) == Board.from_moves("3342", first=0)
        True
        """
        board = cls(width, height, connect)
        written = isinstance(moves, str)
        for number, column in enumerate(notation.columns_of(moves, board.width, first), start=1):
            try:
                board.play(column)
            except ValueError as error:
                why = board.why_not(column, first) if written else error
                raise ValueError(f"moves must be legal; at move {number}: {why}") from None
        return board

    @classmethod
    def from_grid(cls, grid: Any, connect: int = 4, *, to_move: int | None = None) -> Board:
        """Return the position of a grid, row 0 on top: 0 empty, 1 the player who began, -1 or 2 the other.

        Parameters
        ----------
        grid : table of numbers, shape (height, width)
            A list of rows or an array.
        connect : int, default 4
            Stones in a row that win.
        to_move : int, optional
            Who moves next, 1, or -1 or 2; the counts decide it, and if given it must agree with them.

        Notes
        -----
        It checks the counts, gravity, and that the player who began has a stone on the ground. It also checks that some
        stone on top can have been the last move. The player who is not to move laid that stone, and no row was complete
        before it. It does not search for an order of the moves in between.

        Raises
        ------
        ValueError
            A grid of other cells, or of a position that the game cannot reach; one sentence.

        Examples
        --------
        >>> Board.from_grid([[0, 0], [0, 1], [1, 2]]) == Board.from_moves("122", width=2, height=3)
        True
        """
        cells = notation.cells_of(grid)
        board = cls(cells.shape[1], cells.shape[0], connect)
        stones, heights = grids.stones_of(cells)
        board._set(stones, heights, grids.mover_of(cells, to_move))
        if impossible := grids.why_impossible(board):
            raise ValueError(f"grid must be a reachable position; in this one, {impossible}")
        return board

    @classmethod
    def from_text(cls, text: str, connect: int = 4) -> Board:
        """Return the position that `board.text()` shows, with or without bars; X began, O is the other player."""
        return cls.from_grid(notation.grid_of_text(text), connect)

    @property
    def notation(self) -> str:
        """The moves as Pons writes them: columns from 1; separated by commas where there are more than nine."""
        return notation.write(self._moves, self.width)

    @property
    def game(self) -> Game:
        """The position for kernels, with the hooks that play on from it."""
        return encode.game_of(self)

    # --- showing ---------------------------------------------------------------------------------------------------

    def text(self, *, bars: bool = False) -> str:
        """Return the position as text: X began, O is the other player; columns are numbered from 1, as people count.

        Parameters
        ----------
        bars : bool, default False
            Whether to put cells between bars and leave empty ones blank instead of dotted. With bars, columns are
            numbered from 0, as in `play`.

        Examples
        --------
        >>> board = Board.from_moves("112", width=3, height=2, connect=3)
        >>> print(board.text())
        O . .
        X X .
        1 2 3
        >>> print(board.text(bars=True))
        |O| | |
        |X|X| |
        -------
         0 1 2
        """
        return (notation.barred_text_of_grid if bars else notation.text_of_grid)(self.grid)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        is_usual = (self.width, self.height, self.connect) == (7, 6, 4)
        size = "" if is_usual else f", width={self.width}, height={self.height}, connect={self.connect}"
        if sum(self._base[1]) == 0:
            return f"Board.from_moves({self.notation!r}{size})"
        return f"Board.from_grid({self.grid.tolist()}, connect={self.connect})"

    def to_svg(self, *, numbers: bool = False) -> str:
        """Return a picture of the position as SVG; with `numbers` each stone shows the number of its move."""
        return drawing.svg(self, drawing.Notes(numbers=numbers))

    def _repr_html_(self) -> str:
        return self.to_svg()

    def save_picture(self, path: str | Path, *, numbers: bool = False) -> None:
        """Write a picture of the position, SVG or PNG by the file's ending; for `numbers` see `to_svg`."""
        drawing.save(self, path, drawing.Notes(numbers=numbers))

    def run(
        self, player1: Plays[Board] | Callable[[Board], int], player2: Plays[Board] | Callable[[Board], int]
    ) -> int:
        """Play the game to its end, `player1` moving for 1; return 1, -1, or 0 for a draw.

        Examples
        --------
        >>> Board().run(lambda board: 0, lambda board: 1)
        1
        """
        return referee.play_game(player1, player2, self).result


def for_player(name: str, board: Any, others: str = "") -> Board:
    """Return the board that a player of Connect 4 is asked about; `others` says what else it plays.

    Raises
    ------
    ValueError
        Not a `Board`, such as a position of another game.

    Examples
    --------
    >>> for_player("random", 3)
    Traceback (most recent call last):
    ValueError: board must be a connect4.Board for the player random; got 3
    """
    if not isinstance(board, Board):
        got = f"a position of {type(board).__name__}" if is_of_another_game(board) else checks.show(board)
        also = f" or {others}" if others else ""
        raise ValueError(f"board must be a connect4.Board{also} for the player {name}; got {got}")
    return board


def is_of_another_game(board: Any) -> bool:
    """Return whether a player of any game is asked about a position of another one, as `numerics.positions` has them.

    Examples
    --------
    >>> is_of_another_game(Board()), is_of_another_game(3)
    (False, False)
    """
    return not isinstance(board, Board) and is_position(board)
