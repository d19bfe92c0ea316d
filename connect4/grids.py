"""Grids of numbers: the cells of a board, and the position that a grid sets up, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from connect4.bits import has_row
from connect4.position import Position

Cells = npt.NDArray[np.int8]


def stones_of(cells: Cells) -> tuple[list[int], list[int]]:
    """Return the stones of player 1 and of player -1 as the bits of `connect4.bits`, and the stones in each column.

    Raises
    ------
    ValueError
        A stone above an empty cell, or counts that turns cannot lead to.
    """
    first, second = int((cells == 1).sum()), int((cells == -1).sum())
    if first - second not in (0, 1):
        raise ValueError(
            f"grid must have as many stones of the first player as of the second, or one more; got {first} and {second}"
        )
    height, width = cells.shape
    stones, heights = [0, 0], [0] * width
    for column in range(width):
        for row in range(height):
            cell = int(cells[height - 1 - row, column])
            if cell == 0:
                continue
            if heights[column] < row:
                raise ValueError(
                    f"grid must have no floating stones; the one in row {height - 1 - row}, column {column} "
                    "has an empty cell below it"
                )
            stones[cell < 0] |= 1 << (column * (height + 1) + row)
            heights[column] += 1
    return stones, heights


def mover_of(cells: Cells, to_move: Any) -> int:
    """Return who moves next, 1 or -1, by the counts of stones; where `to_move` is given, it must agree.

    Raises
    ------
    ValueError
        It does not.
    """
    first, second = int((cells == 1).sum()), int((cells == -1).sum())
    mover = 1 if first == second else -1
    if to_move is not None and (isinstance(to_move, (bool, float)) or to_move not in (mover, mover % 3)):
        raise ValueError(
            f"to_move must be {mover}, because the first player has {first} stones and the second {second}; "
            f"got {to_move!r}"
        )
    return mover


def why_impossible(board: Position) -> str:
    """Return why no game leads to a position, as far as `Board.from_grid` checks, or ""."""
    stride = board.height + 1
    if board.plies and not any(board.stones(1) >> column * stride & 1 for column in range(board.width)):
        return "no stone in the bottom row belongs to the first player, who began"
    if board.has_won(board.to_move):
        winner = "both players have" if board.has_won() else "the player who would move next has"
        return f"{winner} {board.connect} in a row"
    mine = board.stones(-board.to_move)  # of the player who moved last
    tops = [column * stride + stones - 1 for column, stones in enumerate(board.heights) if stones]
    last = [mine ^ 1 << top for top in tops if mine >> top & 1]
    if board.plies and not last:
        return "no stone on top of a column belongs to the player who moved last"
    if board.has_won() and all(has_row(before, stride, board.connect) for before in last):
        return f"no last move can have completed every row of {board.connect}"
    return ""
