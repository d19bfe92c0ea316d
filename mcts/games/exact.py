"""Exact values of the moves of Dots and Boxes, Breakthrough and Hex, on boards that are small enough to be solved.

Dots and Boxes has a table of all positions, so that a value is one look-up. The other two are searched for forced wins,
and remember positions of one size from call to call.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from mcts.games.board import GameBoard
from mcts.games.breakthrough import Breakthrough
from mcts.games.dots_and_boxes import DotsAndBoxes
from mcts.games.hex import Hex
from mcts.games.kernels import boxes_table, forced_wins
from mcts.games.kernels.dots_and_boxes import ALL, COLUMNS, EDGES, MARGIN, TOPS
from numerics import checks
from numerics.games import UNDECIDED, Words

MOST_EDGES = 24  # of a table of Dots and Boxes: 16 MB
_TABLE_BITS = 23  # of the table of a search: 128 MB
_PIECE = 500_000  # positions between two chances to interrupt a search


def values_of(board: DotsAndBoxes | Breakthrough | Hex) -> npt.NDArray[np.float64]:
    """Return the value of each legal move for the side to move under best play: 1 a win, 1/2 a draw, 0 a loss.

    Parameters
    ----------
    board : DotsAndBoxes, Breakthrough or Hex
        Not finished, with at most 24 edges or 31 cells; not changed.

    Returns
    -------
    float64[K]
        In the order of ``board.legal_moves()``.

    Raises
    ------
    ValueError
        A finished board, a larger one, or one of another game.

    Examples
    --------
    >>> values_of(Hex(2)).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    if isinstance(board, DotsAndBoxes):
        return 0.5 + 0.5 * np.sign(margins_of(board))
    search = _search_of(board)
    return np.array([search.value(state, outcome) for state, outcome in _after_moves(board)])


def margins_of(board: DotsAndBoxes) -> npt.NDArray[np.int64]:
    """Return, for each legal move, the boxes of the side to move less those of the other at the end of best play.

    The first call for a size fills the table: half a second and 16 MB for 3 x 3.

    Parameters
    ----------
    board : DotsAndBoxes
        Not finished, with at most 24 edges, so up to 3 x 3, 2 x 4 or 1 x 7; not changed.

    Returns
    -------
    int64[K]
        In the order of ``board.legal_moves()``.

    Raises
    ------
    ValueError
        A finished board, a larger one, or one of another game.

    Examples
    --------
    >>> margins_of(DotsAndBoxes(2, 2)).tolist()
    [2, 2, 2, 0, 2, 0, 0, 2, 0, 2, 2, 2]
    """
    _check(board, (DotsAndBoxes,), "a DotsAndBoxes")
    words = board.game.state.tolist()
    edges, tops, columns = words[EDGES], words[TOPS], words[COLUMNS]
    count = words[ALL].bit_count()
    if count > MOST_EDGES:
        raise ValueError(f"board must have at most {MOST_EDGES} edges to be solved; got one with {count}")
    table = _table(tops, columns, count)
    worths = [boxes_table.worth(edges, 1 << move, tops, columns, table) for move in board.legal_moves()]
    margins: npt.NDArray[np.int64] = words[MARGIN] + np.array(worths, dtype=np.int64)
    return margins


def plies_of(board: Breakthrough | Hex) -> npt.NDArray[np.int64]:
    """Return how many moves the game lasts with each legal move, that one included, under best play.

    The winner wins as soon as it can, and the loser loses as late as it can. Hex 5 x 5 takes minutes near its start.

    Parameters
    ----------
    board : Breakthrough or Hex
        Not finished, with at most 31 cells; not changed.

    Returns
    -------
    int64[K]
        Positive where the side to move wins and negative where it loses; in the order of ``board.legal_moves()``.

    Raises
    ------
    ValueError
        A finished board, a larger one, or one of another game.

    Examples
    --------
    >>> plies_of(Hex(2)).tolist()
    [-4, 3, 3, -4]
    """
    search = _search_of(board)
    return np.array([search.plies(state, outcome) for state, outcome in _after_moves(board)], dtype=np.int64)


class _Search:
    """Forced wins of a game on one board; threads take turns."""

    def __init__(self, memory: Words):
        self._memory, self._turn = memory, threading.Lock()

    def value(self, state: Words, outcome: int) -> float:
        """Return the value of a move that led to a position."""
        return 1.0 if outcome != UNDECIDED or not self._is_at_least(state, 1) else 0.0

    def plies(self, state: Words, outcome: int) -> int:
        """Return how long the game lasts with a move that led to a position: negative if it loses."""
        if outcome != UNDECIDED:
            return 1
        length = 1
        if self._is_at_least(state, 1):  # the other side wins, at an odd distance
            while not self._is_at_least(state, forced_wins.WIN - length):
                length += 2
            return -1 - length
        while self._is_at_least(state, length + 2 - forced_wins.WIN):
            length += 2
        return length + 2

    def _is_at_least(self, state: Words, least: int) -> bool:
        ask: Any = forced_wins.ask
        answer = -1
        with self._turn:
            while answer < 0:
                answer, _ = ask(state, least, _PIECE, self._memory)
        return bool(answer)


def _check(board: Any, classes: tuple[type[GameBoard], ...], wanted: str) -> None:
    if not isinstance(board, classes):
        raise ValueError(f"board must be {wanted} to be solved; got {checks.show(board)}")
    if board.is_finished():
        raise ValueError(f"board must be a position that is not finished; got {checks.show(board)}")


def _search_of(board: Any) -> _Search:
    _check(board, (Breakthrough, Hex), "a DotsAndBoxes, Breakthrough or Hex")
    rows, columns = (board.size, board.size) if isinstance(board, Hex) else (board.rows, board.columns)
    plies = board.game.most_plies
    if rows * columns > forced_wins.MOST_CELLS or plies > forced_wins.MOST_PLIES:
        raise ValueError(
            f"board must have at most {forced_wins.MOST_CELLS} cells and {forced_wins.MOST_PLIES} moves to come, to be "
            f"solved; got one with {rows * columns} cells and up to {plies} moves"
        )
    return _search(forced_wins.HEX if isinstance(board, Hex) else forced_wins.BREAKTHROUGH, rows, columns)


@functools.lru_cache(maxsize=2)
def _search(kind: int, rows: int, columns: int) -> _Search:
    """Return the search of a board; its size is no part of the keys of its table."""
    return _Search(forced_wins.memory_for(kind, rows * columns, _TABLE_BITS))


@functools.lru_cache(maxsize=4)
def _table(tops: int, columns: int, edges: int) -> npt.NDArray[np.int8]:
    table = np.empty(1 << edges, np.int8)
    boxes_table.fill(tops, columns, table)
    return table


def _after_moves(board: GameBoard) -> list[tuple[Words, int]]:
    """Return the position after each legal move, with its outcome."""
    game, found = board.game, []
    for move in board.legal_moves():
        state = game.state.copy()
        game.play(state, move)
        found.append((state, int(game.outcome(state))))
    return found
