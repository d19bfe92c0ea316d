"""A position in a terminal: the signs of `board.text()`, with the last stone and the winning row marked, and colour.

A `>` precedes the last stone and a `*` each stone of a winning row, so that files and pipes lose nothing. The colours
are those of the pictures: X yellow, O blue, marked stones on a background of that colour.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import TextIO

from connect4.board import Board
from connect4.notation import SIGNS, number_of_column

LAST, WON = ">", "*"
GAP, MOST_BESIDE = 2, 6  # characters between boards side by side, and the most boards in a row
_INK = {1: "\x1b[1;33m", -1: "\x1b[1;94m"}  # bold yellow, bold bright blue
_GROUND = {1: "\x1b[1;30;43m", -1: "\x1b[1;97;44m"}  # black on yellow, white on blue
_FAINT, _END = "\x1b[2m", "\x1b[0m"


def has_colour(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that shows colours, unless NO_COLOR is set.

    On Windows the terminals that do say so in the environment; the older console shows the codes.
    """
    if sys.platform == "win32" and not {"WT_SESSION", "TERM", "ANSICON"} & os.environ.keys():
        return False
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width_of(board: Board, below: Sequence[str] = ()) -> int:
    """Return how many characters wide the lines of a board are."""
    return board.width * _cell(board, below)


def lines(board: Board, below: Sequence[str] = (), *, colour: bool = False) -> list[str]:
    r"""Return the lines of a board from top to bottom, then the column numbers from 1, then the texts below them.

    Parameters
    ----------
    board : Board
        Of any size.
    below : sequence of str
        A text below each column, such as its score; by default no line.
    colour : bool, default False
        Whether to include the terminal's colour codes, which take no room on the screen.

    Examples
    --------
    >>> from connect4 import Board
    >>> print("\n".join(lines(Board.from_moves("21212", 3, 3, 3))))
     .>X .
     O*X .
     O*X .
     1 2 3
    """
    grid, won = board.grid, {cell for row in board.winning_rows() for cell in row}
    last = (board.height - board.heights[board.moves[-1]], board.moves[-1]) if board.moves else None
    cell = _cell(board, below)
    rows = []
    for row in range(board.height):
        line = ""
        for column in range(board.width):
            player = int(grid[row, column])
            mark = LAST if (row, column) == last else WON if (row, column) in won else ""
            stone = f"{mark}{SIGNS[player]}"
            line += " " * (cell - len(stone)) + (_colour(stone, player, bool(mark)) if colour else stone)
        rows.append(line)
    numbers = "".join(str(number_of_column(column)).rjust(cell) for column in range(board.width))
    rows.append(f"{_FAINT}{numbers}{_END}" if colour else numbers)
    return [*rows, "".join(text.rjust(cell) for text in below)] if below else rows


def side_by_side(titled: Sequence[tuple[str, Board]], room: int, *, colour: bool = False) -> Iterator[str]:
    """Yield the lines of boards of the same size, each below its title, as many side by side as fit.

    Parameters
    ----------
    titled : sequence of (str, Board)
        From left to right, and then from top to bottom.
    room : int
        Characters of a line.

    Examples
    --------
    >>> from connect4 import Board
    >>> boards = [(f"after {moves}", Board.from_moves(moves, 4, 1)) for moves in ("1", "12")]
    >>> for line in side_by_side(boards, 40):
    ...     print(line)
    after 1   after 12
    >X . . .   X>O . .
     1 2 3 4   1 2 3 4
    """
    wide = max([width_of(titled[0][1]), *(len(title) for title, _ in titled)]) if titled else 0
    count = max(1, min(MOST_BESIDE, (room + GAP) // (wide + GAP)))
    for first in range(0, len(titled), count):
        if first:
            yield ""
        row = titled[first : first + count]
        yield (" " * GAP).join(title.ljust(wide) for title, _ in row).rstrip()
        spare = " " * (wide - width_of(row[0][1]) + GAP)
        for parts in zip(*(lines(board, colour=colour) for _, board in row), strict=True):
            yield spare.join(parts)


def _cell(board: Board, below: Sequence[str]) -> int:
    return 1 + max(map(len, [str(number_of_column(board.width - 1)), *below]))


def _colour(stone: str, player: int, marked: bool) -> str:
    return f"{(_GROUND if marked else _INK)[player]}{stone}{_END}" if player else f"{_FAINT}{stone}{_END}"
