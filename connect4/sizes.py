"""The size of a board as it is written on a command line: 7x6, columns before rows."""

from __future__ import annotations

import re
from typing import Any

from connect4.board import Board
from connect4.lines import LARGEST


def empty_board(size: Any, connect: Any = 4) -> Board:
    """Return the empty board of a size.

    Parameters
    ----------
    size : str
        Columns, an x, and rows, such as "7x6"; each from 1 to 64.
    connect : int
        Stones in a row that win, from 2 to 64.

    Raises
    ------
    ValueError
        One sentence that begins with "board" or "connect".

    Examples
    --------
    >>> empty_board("5x4").width
    5
    """
    found = re.fullmatch(r"(\d{1,6})x(\d{1,6})", size) if isinstance(size, str) else None
    width, height = (int(part) for part in found.groups()) if found else (0, 0)
    if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
        raise ValueError(
            f"board must be WIDTHxHEIGHT, columns x rows, such as 7x6, each from 1 to {LARGEST}; got {str(size)!r}"
        )
    return Board(width, height, connect)
