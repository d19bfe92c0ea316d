"""A position of Connect 4 and its rules: the moves, who has won, and the stones as whole numbers.

Stones are Python integers with the bit order of `connect4.kernels.bitboard`, whose kernels set the largest size of a
board: 128 bits.
"""

from __future__ import annotations

import functools
from typing import Self

import numpy as np
import numpy.typing as npt

from connect4.bits import has_row, is_in_row, mirror
from connect4.lines import LARGEST, MOST_BITS, Cell, complete_rows
from numerics import checks


class Position:
    """A position of Connect 4, with the moves that led to it; `connect4.Board` has its views and ways to make one."""

    __slots__ = ("_base", "_heights", "_moves", "_stones", "_won", "connect", "height", "plies", "to_move", "width")

    def __init__(self, width: int = 7, height: int = 6, connect: int = 4):
        self.width: int = checks.check_whole("width", width, 1, LARGEST)
        self.height: int = checks.check_whole("height", height, 1, LARGEST)
        self.connect: int = checks.check_whole("connect", connect, 2, LARGEST)
        if (bits := self.width * (self.height + 1)) > MOST_BITS:
            raise ValueError(
                f"board must have at most {MOST_BITS} bits, columns x (rows + 1); "
                f"got {self.width}x{self.height}, of {bits} bits"
            )
        self._set([0, 0], [0] * self.width, 1)

    def _set(self, stones: list[int], heights: list[int], to_move: int) -> None:
        """Set up a position, to which `reset` returns and beyond which `undo` does not go."""
        self._stones = stones  # of player 1, of player -1
        self._heights = heights
        self._moves: list[int] = []
        self.plies: int = sum(heights)
        self.to_move: int = to_move
        self._won = self.has_won(-to_move)  # whether the last move won: kept up to date, so that nothing searches again
        self._base = (tuple(stones), tuple(heights), to_move)

    def play(self, column: int, player: int | None = None) -> None:
        """Put a stone of the side to move on a column.

        Parameters
        ----------
        column : int
            0-based.
        player : int, optional
            1 or -1; where it is given, it must be the side to move.

        Raises
        ------
        ValueError
            No such column, a full one, a finished game, or the other player's turn; the board does not change.
        """
        if type(column) is not int or not 0 <= column < self.width:
            column = checks.check_whole("column", column, 0, self.width - 1)
        row = self._heights[column]
        if self._won or row == self.height:
            raise ValueError(self.why_not(column))
        if player is not None and (isinstance(player, (bool, float)) or player != self.to_move):
            raise ValueError(f"player must be {self.to_move}, the player to move; got {player!r}")
        side, stride = self.to_move < 0, self.height + 1
        self._stones[side] = stones = self._stones[side] | 1 << (column * stride + row)
        self._heights[column] = row + 1
        self._moves.append(column)
        self.plies += 1
        self.to_move = -self.to_move
        self._won = has_row(stones, stride, self.connect)

    def undo(self, column: int | None = None) -> int:
        """Take the last move back and return its column.

        Parameters
        ----------
        column : int, optional
            Where it is given, it must be the column of the last move.

        Raises
        ------
        ValueError
            No move was played on this board object, or the last one was in another column; the board does not change.
        """
        if not self._moves:
            raise ValueError("undo requires a played move; none was played since the board was set up")
        if column is not None and checks.check_whole("column", column, 0, self.width - 1) != self._moves[-1]:
            raise ValueError(f"column must be {self._moves[-1]}, the column of the last move; got {column}")
        column = self._moves.pop()
        self._heights[column] -= 1
        self.plies -= 1
        self.to_move = -self.to_move
        self._won = False  # nobody moves after a win
        self._stones[self.to_move < 0] ^= 1 << (column * self._stride + self._heights[column])
        return column

    def reset(self) -> None:
        """Go back to the empty board, or to the position that a grid set up."""
        stones, heights, to_move = self._base
        self._set(list(stones), list(heights), to_move)

    def legal_moves(self) -> list[int]:
        """Return the columns that can be played, from left to right; none once the game is over."""
        return [] if self._won else self._open()  # a full board has no open column

    def allows(self, column: int) -> bool:
        """Return whether a column exists and can be played."""
        return not self.why_not(column)

    def why_not(self, column: int, first: int = 0) -> str:
        """Return a sentence on why a 0-based column cannot be played, or "" where it can.

        Parameters
        ----------
        first : int, default 0
            The number of the leftmost column in the sentence: 1 for people, whose boards count from 1.

        Examples
        --------
        >>> from connect4 import Board
        >>> Board.from_moves("111111").why_not(0, first=1)
        'column 1 cannot be played: it is full; open columns are [2, 3, 4, 5, 6, 7]'
        """
        try:
            number = checks.check_whole("column", column, 0, self.width - 1) + first
        except ValueError:
            shown = column + first if isinstance(column, int) and not isinstance(column, bool) else repr(column)
            return f"column must be a whole number from {first} to {self.width - 1 + first}; got {shown}"
        if self._won:
            why = f"the game is over (player {self.winner()} has won)"
        elif self.is_full():
            why = "the game is over (the board is full)"
        elif self._heights[column] == self.height:
            why = f"it is full; open columns are {[column + first for column in self._open()]}"
        else:
            return ""
        return f"column {number} cannot be played: {why}"

    def has_won(self, player: int | None = None) -> bool:
        """Return whether a player, 1 or -1, has `connect` stones in a row; without a player, whether either has."""
        if player is None:
            return self._won
        return has_row(self.stones(player), self._stride, self.connect)

    def winner(self) -> int:
        """Return 1 or -1, or 0 while nobody has won."""
        return -self.to_move if self._won else 0

    def is_full(self) -> bool:
        """Return whether no cell is empty."""
        return self.plies == self.width * self.height

    def is_finished(self) -> bool:
        """Return whether somebody has won or the board is full."""
        return self._won or self.plies == self.width * self.height

    def top_in_a_row(self, column: int) -> bool:
        """Return whether the top stone of a column lies in a row of `connect` or more of its colour.

        Raises
        ------
        ValueError
            No such column, or one without a stone.
        """
        column = checks.check_whole("column", column, 0, self.width - 1)
        if not self._heights[column]:
            raise ValueError(f"column {column} must have a stone on top; it is empty")
        top = 1 << (column * self._stride + self._heights[column] - 1)
        stones = self._stones[not self._stones[0] & top]
        return is_in_row(top, stones, self._stride, self.connect)

    def winning_moves(self, player: int | None = None) -> list[int]:
        """Return the legal columns where a stone of `player`, the side to move unless given, wins at once."""
        stones = self.stones(self.to_move if player is None else player)
        return [
            column
            for column in self.legal_moves()
            if has_row(stones | 1 << (column * self._stride + self._heights[column]), self._stride, self.connect)
        ]

    def stones(self, player: int) -> int:
        """Return the stones of a player, 1 or -1, as bits: cell (column, height above the ground) is bit
        column * (self.height + 1) + that height.
        """  # noqa: D205
        if not (type(player) is int or isinstance(player, np.integer)) or player not in (1, -1):
            raise ValueError(f"player must be 1 or -1; got {player!r}")
        return self._stones[player < 0]

    @property
    def heights(self) -> tuple[int, ...]:
        """Stones in each column."""
        return tuple(self._heights)

    @property
    def free_cells(self) -> tuple[int, ...]:
        """Empty cells in each column."""
        return tuple(self.height - stones for stones in self._heights)

    @property
    def empty_cells(self) -> int:
        """Empty cells of the whole board."""
        return self.width * self.height - self.plies

    @property
    def grid(self) -> npt.NDArray[np.int8]:
        """The cells as int8 of shape (height, width), row 0 on top: 0 empty, 1 the player who began, -1 the other.

        ``board.grid % 3`` has 2 for the other.
        """
        cells = np.zeros((self.height, self.width), dtype=np.int8)
        for player in (1, -1):
            stones = self.stones(player)
            while stones:
                bit = stones & -stones
                stones ^= bit
                column, row = divmod(bit.bit_length() - 1, self._stride)
                cells[self.height - 1 - row, column] = player
        return cells

    @property
    def moves(self) -> tuple[int, ...]:
        """The 0-based columns played since the board was set up."""
        return tuple(self._moves)

    def winning_rows(self) -> list[tuple[Cell, ...]]:
        """Return the winner's complete rows, each `connect` cells (row, column), row 0 on top; none without one."""
        if not self._won:
            return []
        return complete_rows(self.grid, self.winner(), self.connect)

    def winning_line(self) -> list[Cell]:
        """Return the cells (row, column), row 0 on top, that lie in a winning row; none while nobody has won."""
        return sorted({cell for row in self.winning_rows() for cell in row})

    def copy(self) -> Self:
        """Return an independent board with the same position and moves."""
        other = object.__new__(type(self))
        other.width, other.height, other.connect = self.width, self.height, self.connect
        other._stones, other._heights, other._moves = list(self._stones), list(self._heights), list(self._moves)
        other.plies, other.to_move, other._won, other._base = self.plies, self.to_move, self._won, self._base
        return other

    __copy__ = copy  # the lists inside must not be shared

    def mirror(self) -> Self:
        """Return the board seen from behind: left and right change places."""
        other = self.copy()
        turned = functools.partial(mirror, stride=self._stride, width=self.width)
        stones, heights, to_move = self._base
        other._base = (tuple(map(turned, stones)), tuple(reversed(heights)), to_move)
        other._stones = list(map(turned, self._stones))
        other._heights.reverse()
        other._moves = [self.width - 1 - column for column in self._moves]
        return other

    def __eq__(self, other: object) -> bool:
        """Positions are equal if size, stones and side to move are, whatever the order of the moves."""
        return isinstance(other, Position) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[int, ...]:
        return (self.width, self.height, self.connect, self.to_move, *self._stones)

    @property
    def _stride(self) -> int:
        return self.height + 1

    def _open(self) -> list[int]:
        return [column for column in range(self.width) if self._heights[column] < self.height]
