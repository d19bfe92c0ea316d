"""The board of Dots and Boxes: who closes a box owns it and moves again; most boxes win."""

from __future__ import annotations

import functools

import numpy as np

from mcts.games import exact
from mcts.games.board import GameBoard
from mcts.games.kernels.dots_and_boxes import (
    ALL,
    COLUMNS,
    EDGES,
    MARGIN,
    MOST_EDGES,
    PASSES,
    TO_MOVE,
    TOPS,
    boxes,
    legal,
    outcome,
    play,
    uniform_playout,
)
from numerics import checks
from numerics.games import Game


class DotsAndBoxes(GameBoard):
    """A position of Dots and Boxes, which never changes.

    Parameters
    ----------
    rows, columns : int, default 3
        Boxes, from 1 on; 2 * rows * columns + rows + columns, the number of edges, is at most 63.

    Raises
    ------
    ValueError
        A size out of range; the sentence names it.

    Notes
    -----
    A move is the number of an edge: row after row of boxes, the upper edges of a row before its upright ones.

    Examples
    --------
    >>> board = DotsAndBoxes(1, 2).play(0).play(2).play(3).play(5)
    >>> board.player(), board.margin, board.moves()
    (1, -1, [1, 4, 6])
    >>> print(board)
    +--+  +
    |2 |
    +--+  +
    """

    __slots__ = ()

    def __init__(self, rows: int = 3, columns: int = 3):
        rows, columns = (
            checks.check_whole("rows", rows, 1, MOST_EDGES),
            checks.check_whole("columns", columns, 1, MOST_EDGES),
        )
        edges = 2 * rows * columns + rows + columns
        if edges > MOST_EDGES:
            raise ValueError(
                f"rows and columns must give at most {MOST_EDGES} edges; got {rows} and {columns}, which give {edges}"
            )
        super().__init__(_rules(rows, columns), TO_MOVE)

    @property
    def rows(self) -> int:
        """Rows of boxes."""
        return int(self._state[TOPS]).bit_count() // self.columns

    @property
    def columns(self) -> int:
        """Columns of boxes."""
        return int(self._state[COLUMNS])

    @property
    def margin(self) -> int:
        """Boxes of player 0 less those of player 1."""
        return int(self._state[MARGIN]) * self._side

    def scores(self) -> list[int]:
        """Return the boxes of the player who moves less those of the other at the end, for each move.

        The first call for a size fills a table: half a second and 16 MB for 3 x 3.

        Raises
        ------
        ValueError
            A finished game, or a board of more than 24 edges; 3 x 3, 2 x 4 and 1 x 7 are the largest.

        Examples
        --------
        >>> DotsAndBoxes(2, 2).scores()
        [2, 2, 2, 0, 2, 0, 0, 2, 0, 2, 2, 2]
        """
        return exact.margins(self)

    def open_spiel_action(self, move: int) -> int:
        """Return the number of an edge in OpenSpiel's ``dots_and_boxes``."""
        row, place = divmod(move, 2 * self.columns + 1)
        if place < self.columns:
            return row * self.columns + place
        return (self.rows + 1) * self.columns + row * (self.columns + 1) + place - self.columns

    def _make(self, move: int) -> None:
        self._rules.play(self._state, move)
        if self._state[PASSES]:
            self._rules.play(self._state, int(self._state[ALL]).bit_count())

    def _size(self) -> tuple[int, ...]:
        return self.rows, self.columns

    def _most_plies(self) -> int:
        left, tops, columns = ~self._state[EDGES] & self._state[ALL], self._state[TOPS], self.columns
        closed = int(boxes(self._state[EDGES], tops, columns))
        return int(left).bit_count() + int(tops).bit_count() - closed.bit_count()  # each edge, and a pass for each box

    def __str__(self) -> str:
        edges, columns, owners = int(self._state[EDGES]), self.columns, self._owners()
        stride, lines = 2 * columns + 1, list[str]()
        for row in range(self.rows + 1):
            first = row * stride
            level = ("--" if edges >> (first + column) & 1 else "  " for column in range(columns))
            lines.append("+" + "".join(f"{each}+" for each in level))
            if row < self.rows:
                bars = ("|" if edges >> (first + columns + column) & 1 else " " for column in range(columns + 1))
                names = (*(owners.get(first + column, " ") for column in range(columns)), "")
                lines.append("".join(f"{bar}{name:2}" for bar, name in zip(bars, names, strict=True)).rstrip())
        return "\n".join(lines)

    def _owners(self) -> dict[int, str]:
        """Return the players who own the closed boxes, 1 or 2, by upper edges."""
        replay, owners = type(self)(self.rows, self.columns), dict[int, str]()
        tops, closed = int(self._state[TOPS]), 0
        for move in self.history:
            mover = str(1 + replay.player())
            replay = replay.play(move)
            now = int(boxes(replay._state[EDGES], tops, self.columns))
            owners |= {bit: mover for bit in range(now.bit_length()) if (now ^ closed) >> bit & 1}
            closed = now
        return owners


@functools.lru_cache(maxsize=64)
def _rules(rows: int, columns: int) -> Game:
    """Return the game of a size at its start."""
    stride, edges = 2 * columns + 1, 2 * rows * columns + rows + columns
    tops = sum(((1 << columns) - 1) << (row * stride) for row in range(rows))
    return Game(
        state=np.array([0, 0, 0, 1, tops, (1 << edges) - 1, columns], dtype=np.int64),
        most_moves=edges,
        most_plies=edges + rows * columns,
        legal=legal,
        play=play,
        outcome=outcome,
        playouts={"uniform": uniform_playout},
        to_move=TO_MOVE,
        pass_move=edges,
    )
