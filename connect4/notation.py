"""Positions as text: sizes, strings of columns counted from 1, boards of dots and letters, and grids of numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from connect4.lines import LARGEST
from numerics import checks

SIGNS = {0: ".", 1: "X", -1: "O"}
BARRED = {**SIGNS, 0: " "}  # between bars
_READ = {".": 0, " ": 0, "X": 1, "O": -1}


def number_of_column(column: int) -> int:
    """Return the number of a 0-based column counted from 1, as boards, prompts and Pons's strings show it.

    Examples
    --------
    >>> number_of_column(0)
    1
    """
    return column + 1


def shown_list(columns: Iterable[int]) -> str:
    """Return 0-based columns counted from 1, separated by commas.

    Examples
    --------
    >>> shown_list([0, 2])
    '1, 3'
    """
    return ", ".join(str(number_of_column(column)) for column in columns)


def write(columns: Iterable[int], width: int) -> str:
    """Return 0-based columns as a string counted from 1; with commas where the board has more than nine columns.

    Examples
    --------
    >>> write([3, 3, 4, 2], 7), write([3, 10], 12)
    ('4453', '4,11')
    """
    return ("," if width > 9 else "").join(str(number_of_column(column)) for column in columns)


def parse(text: str, width: int, first: int = 1) -> list[int]:
    """Return the 0-based columns of a string that counts them from `first`, 1 or 0.

    Raises
    ------
    ValueError
        A character that is not a column of the board; the sentence names it.

    Examples
    --------
    >>> parse("4453", 7), parse("4,11", 12), parse("3342", 7, first=0)
    ([3, 3, 4, 2], [3, 10], [3, 3, 4, 2])
    """
    first = checks.check_whole("first", first, 0, 1)
    last = width - 1 + first
    bare = text.strip()
    words = bare.split(",") if "," in bare or last > 9 else list(bare)
    columns = []
    for number, word in enumerate(words if bare else [], start=1):
        digits = word.strip()
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 2 and first <= int(digits) <= last):
            how = f"columns from {first} to {last}" + (", separated by commas" if last > 9 else "")
            raise ValueError(f"moves must be {how}; at move {number} got {_shorten(word)}")
        columns.append(int(digits) - first)
    return columns


def size_of(text: Any) -> tuple[int, int]:
    """Return the width and height of a size as a user types it: columns, an x, and rows.

    Raises
    ------
    ValueError
        One sentence that begins with "board".

    Examples
    --------
    >>> size_of("7x6")
    (7, 6)
    """
    size = re.fullmatch(r"(\d{1,6})x(\d{1,6})", text) if isinstance(text, str) else None
    width, height = (int(part) for part in size.groups()) if size else (0, 0)
    if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
        raise ValueError(
            f"board must be WIDTHxHEIGHT, columns x rows, such as 7x6, each from 1 to {LARGEST}; got {str(text)!r}"
        )
    return width, height


def columns_of(moves: Any, width: int, first: int = 1) -> list[Any]:
    """Return the 0-based columns of a string, or the items of any other iterable unchanged.

    Raises
    ------
    ValueError
        Neither a string nor an iterable, or a string with a character that is not a column.
    """
    if isinstance(moves, str):
        return parse(moves, width, first)
    if isinstance(moves, (bytes, bytearray)) or not isinstance(moves, Iterable):
        raise ValueError(f"moves must be a string or a list of columns; got {_shorten(moves)}")
    return list(moves)


def text_of_grid(grid: npt.NDArray[np.int8]) -> str:
    """Return a grid as lines of ".", "X" (1) and "O" (-1), with the column numbers from 1 below.

    Examples
    --------
    >>> print(text_of_grid(np.array([[0, 0], [1, -1]])))
    . .
    X O
    1 2
    """
    wide = len(str(number_of_column(grid.shape[1] - 1)))
    lines = [" ".join(SIGNS[int(cell)].rjust(wide) for cell in row) for row in grid]
    return "\n".join([*lines, " ".join(str(number_of_column(column)).rjust(wide) for column in range(grid.shape[1]))])


def barred_text_of_grid(grid: npt.NDArray[np.int8]) -> str:
    """Return a grid as lines of cells between bars, blank where empty, with a line and the 0-based columns below.

    Examples
    --------
    >>> print(barred_text_of_grid(np.array([[0, 0], [1, -1]])))
    | | |
    |X|O|
    -----
     0 1
    """
    wide, columns = len(str(grid.shape[1] - 1)), range(grid.shape[1])
    lines = ["".join(f"|{BARRED[int(cell)]:>{wide}}" for cell in row) + "|" for row in grid]
    return "\n".join([*lines, "-" * len(lines[0]), "".join(f" {column:>{wide}}" for column in columns)])


def grid_of_text(text: str) -> npt.NDArray[np.int8]:
    r"""Return the grid that a text shows: X, O and ".", or cells between bars; lines of numbers or dashes are ignored.

    Raises
    ------
    ValueError
        Not a text, rows of unequal length, or an unknown character.

    Examples
    --------
    >>> grid_of_text("| | |\n|X|O|").tolist(), grid_of_text(". .\nX O").tolist(), grid_of_text("..\nXO").tolist()
    ([[0, 0], [1, -1]], [[0, 0], [1, -1]], [[0, 0], [1, -1]])
    """
    if not isinstance(text, str):
        raise ValueError(f"text must be a string of lines that show a board; got {_shorten(text)}")
    rows: list[list[int]] = []
    for line in (row.strip() for row in text.splitlines()):
        if not line or set(line) <= set("0123456789- "):
            continue
        if "|" in line:
            signs = [sign.strip() or " " for sign in line.removeprefix("|").removesuffix("|").split("|")]
        else:
            signs = list("".join(line.split()))
        for sign in signs:
            if sign not in _READ:
                raise ValueError(f"text must show stones as X and O and empty cells as '.'; got {_shorten(sign)}")
        if rows and len(signs) != len(rows[0]):
            raise ValueError(
                f"text must show rows of equal length; the first has {len(rows[0])} cells, and row {len(rows)} "
                f"has {len(signs)}"
            )
        rows.append([_READ[sign] for sign in signs])
    if not rows:
        raise ValueError(f"text must show the rows of a board; got {_shorten(text)}")
    return np.array(rows, dtype=np.int8)


def cells_of(grid: Any) -> npt.NDArray[np.int8]:
    """Return a grid of 0 / 1 / -1 or 0 / 1 / 2 as int8 with -1 for the second player.

    Raises
    ------
    ValueError
        Not a table of such numbers.
    """
    try:
        cells = np.asarray(grid)
    except ValueError:
        cells = np.empty(0, dtype=object)
    if cells.ndim != 2 or cells.size == 0 or cells.dtype.kind not in "iuf":
        raise ValueError(f"grid must be a table of numbers with rows of equal length; got {_shorten(grid)}")
    values = [value.item() for value in np.unique(cells)]
    wrong = [value for value in values if value not in (0, 1, -1, 2)]
    if wrong:
        raise ValueError(
            f"grid must hold 0 for empty, 1 for the player who began and -1 or 2 for the other; got {wrong[0]}"
        )
    if {-1, 2} <= set(values):
        raise ValueError("grid must hold either -1 or 2 for the second player; got both")
    return np.where(cells == 2, -1, cells).astype(np.int8)


def _shorten(value: Any) -> str:
    """Return the repr of a value on one line, cut to fit a sentence."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:45]}…{text[-14:]}"
