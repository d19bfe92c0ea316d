"""The player that searches to a fixed depth and evaluates the positions there by a heuristic."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from connect4.board import Board
from connect4.lines import lines_through_cells
from connect4.players.alpha_beta import WIN, column_values
from connect4.players.simple import Chooser
from numerics import importing
from numerics.parameters import parameter
from numerics.places import failure

QUADRUPLETS = "quadruplets"
TIES = ("random", "centre", "left")
LARGEST = sys.float_info.max

Heuristic = Callable[[Board], float]
Value = tuple[float, int]  # worth and haste, see best_columns; a win or loss is infinite


def function_of(heuristic: str | Heuristic) -> Heuristic:
    """Return a user's heuristic, with its answers checked.

    Raises
    ------
    ValueError
        The path does not name a function.
    """
    named: Any = heuristic
    if isinstance(named, str):
        named = importing.import_named("heuristic", named, f"my_heuristics.threes, or {QUADRUPLETS}")
    if not callable(named):
        raise ValueError(
            f"heuristic must be {QUADRUPLETS}, a function of a board, or its dotted path; got {heuristic!r}"
        )
    function: Heuristic = named

    def checked(board: Board) -> float:
        answer = function(board.copy())
        try:
            value = float(answer)
        except (TypeError, ValueError):
            value = math.nan
        if math.isnan(value):
            raise ValueError(f"heuristic {heuristic} must return a number; got {answer!r}")
        # Even an infinite answer stays below a proven win.
        return max(-LARGEST, min(LARGEST, value))

    return checked


def _heuristic(name: str, value: Any) -> str | Heuristic:
    """Return a heuristic, or raise ValueError if it fails on the empty board."""
    if value != QUADRUPLETS:
        function = function_of(value)
        try:
            function(Board())
        except Exception as error:
            if isinstance(error, ValueError) and str(error).startswith("heuristic "):
                raise
            raise ValueError(f"{name} {value} fails on the empty board: {failure(error)}") from error
    heuristic: str | Heuristic = value
    return heuristic


class Minimax(Chooser, name="minimax"):
    """Minimax with alpha-beta pruning: plays a column of the best value after `depth` stones.

    A won position is worth infinity, a lost one minus infinity, a full board 0. Of two wins the quicker is better, of
    two losses the slower; pruning changes neither the value nor the set of best columns.

    The heuristic is the value of a position at that depth for player 1. "quadruplets" weighs each stone by the number
    of winning lines through its cell. Otherwise it is a function of a board that returns a number, possibly infinite.
    Give its dotted path, in the current folder or installed, or in Python the function itself. It runs in plain Python,
    some thousand times slower, and is tried on the empty board first.

    Examples
    --------
    >>> Minimax(depth=3, ties="left").play(Board.from_moves("112233"))
    3
    """

    depth: int = parameter(4, low=1, help="search depth in plies")
    heuristic: str | Heuristic = parameter(
        QUADRUPLETS,
        check=_heuristic,
        help="value of a position: quadruplets, or a function of a board or its path",
    )
    ties: str = parameter(
        "random", choices=TIES, help="tie-breaking between best columns: random, nearest to the middle, or leftmost"
    )

    def evaluate(self, board: Board) -> tuple[float, list[int]]:
        """Return the value of an unfinished game for the side to move, and all columns that have it."""
        if self.heuristic == QUADRUPLETS:
            weights = _weights(board.width, board.height, board.connect)
            values = column_values(board, board.to_move, weights, self.depth, only_best=True)
            best = values.max()
            columns = [int(column) for column in np.flatnonzero(values == best)]
            decided = abs(int(best)) > WIN // 2
            return math.copysign(math.inf, best) if decided else float(best), columns
        (value, _), columns = best_columns(board, function_of(self.heuristic), self.depth)
        return value, columns

    def candidates(self, board: Board) -> list[int]:
        """Return the best columns that remain after the tie rule."""
        _, columns = self.evaluate(board)
        if self.ties == "centre":
            return [min(columns, key=lambda column: (abs(2 * column - board.width + 1), column))]
        return columns[:1] if self.ties == "left" else columns


@functools.cache
def _weights(width: int, height: int, connect: int) -> npt.NDArray[np.int64]:
    """Return the number of winning lines through each cell, int64[width, height], row 0 at the bottom."""
    return np.ascontiguousarray(lines_through_cells(width, height, connect)[::-1].T)


def best_columns(board: Board, heuristic: Heuristic, depth: int) -> tuple[Value, list[int]]:
    """Search in plain Python, for any heuristic; return the value for the side to move and the columns that have it.

    A value is a pair (worth, haste), ordered as Python orders pairs: (inf, -p) is a win by the p-th stone, (-inf, p) a
    loss. Haste is an integer, so that (worth, haste - 1) is the next lower pair.
    """
    board = board.copy()
    order = sorted(board.legal_moves(), key=lambda column: abs(2 * column - board.width + 1))
    best: Value = (-math.inf, -1)
    columns: list[int] = []
    for column in order:
        board.play(column)
        # An equal value must be exact: the window opens just below the best so far.
        value = _turn(_search(board, heuristic, depth - 1, 1, (-math.inf, -1), (-best[0], -best[1] + 1)))
        board.undo()
        if value > best:
            best, columns = value, []
        if value == best:
            columns.append(column)
    return best, sorted(columns)


def _search(board: Board, heuristic: Heuristic, depth: int, stones: int, alpha: Value, beta: Value) -> Value:
    """Return the value of a position `stones` stones below the root, exact between alpha and beta (fail-soft)."""
    if board.has_won(-board.to_move):
        return (-math.inf, stones)
    if board.plies == board.width * board.height:
        return (0.0, 0)
    if depth == 0:
        return (heuristic(board) * board.to_move, 0)
    best = (-math.inf, -1)
    for column in sorted(board.legal_moves(), key=lambda column: abs(2 * column - board.width + 1)):
        board.play(column)
        value = _turn(_search(board, heuristic, depth - 1, stones + 1, _turn(beta), _turn(max(alpha, best))))
        board.undo()
        best = max(best, value)
        if best >= beta:
            break
    return best


def _turn(value: Value) -> Value:
    """Return a value from the other side's point of view."""
    return (-value[0], -value[1])
