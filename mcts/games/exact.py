"""Exact scores of Dots and Boxes, Breakthrough and Hex, on boards that are small enough to be solved.

Dots and Boxes has a table of all positions, so that a value is one look-up. The other two are searched for forced wins,
and remember positions of one size from call to call.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from mcts.games.board import GameBoard
from mcts.games.kernels import boxes_table, forced_wins
from mcts.games.kernels.dots_and_boxes import ALL, COLUMNS, EDGES, MARGIN, TOPS
from numerics import checks
from numerics.games import UNDECIDED, Words

MOST_EDGES = 24  # of a table of Dots and Boxes: 16 MB
_TABLE_BITS = 23  # of the table of a search: 128 MB
_PIECE = 500_000  # positions between two chances to interrupt a search


def margins(board: GameBoard) -> list[int]:
    """Return, for each move of Dots and Boxes, the boxes of the mover less those of the other at the end."""
    _check_unfinished(board)
    words = board.game.state.tolist()
    edges, tops, columns = words[EDGES], words[TOPS], words[COLUMNS]
    count = words[ALL].bit_count()
    if count > MOST_EDGES:
        raise ValueError(f"board must have at most {MOST_EDGES} edges to be solved; got one with {count}")
    table = _table(tops, columns, count)
    return [int(words[MARGIN] + boxes_table.worth(edges, 1 << move, tops, columns, table)) for move in board.moves()]


class ForcedWins(GameBoard):
    """A position of a game without draws, which is solved by a search for forced wins; a subclass names its kind."""

    __slots__ = ()
    kind: ClassVar[int]
    """One of those of `forced_wins`."""

    def scores(self) -> list[int]:
        """Return 1 for each move that wins and -1 for each that loses, in the order of `moves`.

        Raises
        ------
        ValueError
            A finished game, or a board of more than 31 cells.
        """
        search = _search_of(self)
        return [1 if search.wins(state, outcome) else -1 for state, outcome in _after_moves(self)]

    def plies(self) -> list[int]:
        """Return how many moves the game lasts with each move, that one included, under best play.

        The winner wins as soon as it can, and the loser loses as late as it can. This takes minutes in early positions
        of Hex 5 x 5.

        Returns
        -------
        list of int
            Positive for a move that wins and negative for one that loses, in the order of `moves`.

        Raises
        ------
        ValueError
            A finished game, or a board of more than 31 cells.
        """
        search = _search_of(self)
        return [search.plies(state, outcome) for state, outcome in _after_moves(self)]

    def _shape(self) -> tuple[int, int]:
        """Return the rows and columns of cells."""
        raise NotImplementedError


class _Search:
    """Forced wins of a game on one board; threads take turns."""

    def __init__(self, memory: Words):
        self._memory, self._turn = memory, threading.Lock()

    def wins(self, state: Words, outcome: int) -> bool:
        """Return whether a move that led to a position wins."""
        return outcome != UNDECIDED or not self._is_at_least(state, 1)

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


def _check_unfinished(board: GameBoard) -> None:
    if board.result() is not None:
        raise ValueError(f"board must be a position that is not finished; got {checks.show(board)}")


def _search_of(board: ForcedWins) -> _Search:
    _check_unfinished(board)
    (rows, columns), plies = board._shape(), board.game.most_plies
    if rows * columns > forced_wins.MOST_CELLS or plies > forced_wins.MOST_PLIES:
        raise ValueError(
            f"board must have at most {forced_wins.MOST_CELLS} cells and {forced_wins.MOST_PLIES} moves left to be "
            f"solved; got one with {rows * columns} cells and up to {plies} moves left"
        )
    return _search(board.kind, rows, columns)


@functools.lru_cache(maxsize=2)
def _search(kind: int, rows: int, columns: int) -> _Search:
    """Return the search of a board; its size is no part of the keys of its table."""
    return _Search(forced_wins.memory_for(kind, rows * columns, _TABLE_BITS))


@functools.lru_cache(maxsize=4)
def _table(tops: int, columns: int, edges: int) -> npt.NDArray[np.int8]:
    table = np.empty(1 << edges, np.int8)
    boxes_table.fill(tops, columns, table)
    return table


def _after_moves(board: GameBoard) -> Iterator[tuple[Words, int]]:
    """Yield the position after each legal move, with its outcome."""
    game = board.game
    for move in board.moves():
        state = game.state.copy()
        game.play(state, move)
        yield state, int(game.outcome(state))
