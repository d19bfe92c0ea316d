"""The board of Breakthrough: who first brings a piece to the last row wins."""

from __future__ import annotations

import functools

import numpy as np

from mcts.games.exact import ForcedWins
from mcts.games.kernels.breakthrough import (
    COLUMNS,
    MINE,
    MOST_CELLS,
    ROWS,
    THEIRS,
    TO_MOVE,
    legal,
    outcome,
    play,
    uniform_playout,
)
from mcts.games.kernels.forced_wins import BREAKTHROUGH
from numerics import checks
from numerics.games import Game


class Breakthrough(ForcedWins):
    """A position of Breakthrough, which never changes.

    Parameters
    ----------
    rows, columns : int, default 8
        At least 2 each, and 64 cells at most.
    ranks : int, default 2
        Rows of pieces of each side, from 1 to half of the rows.

    Raises
    ------
    ValueError
        A size out of range; the sentence names it.

    Notes
    -----
    A move is 3 * cell + direction, as `mcts.games.breakthrough` has it. OpenSpiel has one rank of pieces where there
    are fewer than six rows.

    Examples
    --------
    >>> print(Breakthrough(5, 4).play(3 * 4 + 1))
    x x x x
    . x x x
    x . . .
    o o o o
    o o o o
    >>> position = Breakthrough(4, 2).play(8)
    >>> position.moves(), position.scores(), position.plies()
    ([13, 14, 20], [-1, -1, 1], [-2, -2, 7])
    """

    __slots__ = ()
    kind = BREAKTHROUGH

    def __init__(self, rows: int = 8, columns: int = 8, ranks: int = 2):
        rows, columns = (
            checks.check_whole("rows", rows, 2, MOST_CELLS // 2),
            checks.check_whole("columns", columns, 2, MOST_CELLS // 2),
        )
        if rows * columns > MOST_CELLS:
            raise ValueError(f"rows and columns must give at most {MOST_CELLS} cells; got {rows} and {columns}")
        super().__init__(_rules(rows, columns, checks.check_whole("ranks", ranks, 1, rows // 2)), TO_MOVE)

    @property
    def rows(self) -> int:
        """Rows of cells."""
        return int(self._state[ROWS])

    @property
    def columns(self) -> int:
        """Columns of cells."""
        return int(self._state[COLUMNS])

    def pieces(self, player: int) -> list[int]:
        """Return the cells with pieces of a player, 0 or 1."""
        word = int(self._state[MINE if player == self.player() else THEIRS])
        return [cell for cell in range(self.rows * self.columns) if word >> cell & 1]

    def open_spiel_action(self, move: int) -> int:
        """Return the number of a legal move in OpenSpiel's ``breakthrough``."""
        cell, direction = divmod(move, 3)
        target = cell + self._side * self.columns + direction - 1
        captures = int(self._state[THEIRS]) >> target & 1
        return 2 * (6 * cell + direction + 3 * self.player()) + captures

    def _size(self) -> tuple[int, ...]:
        return self.rows, self.columns, int(self._rules.state[MINE]).bit_count() // self.columns

    def _shape(self) -> tuple[int, int]:
        return self.rows, self.columns

    def _most_plies(self) -> int:
        down = (self.rows - 1 - cell // self.columns for cell in self.pieces(0))
        return sum(down) + sum(cell // self.columns for cell in self.pieces(1))

    def __str__(self) -> str:
        cells = ["."] * (self.rows * self.columns)
        for player, sign in enumerate("xo"):
            for cell in self.pieces(player):
                cells[cell] = sign
        return "\n".join(" ".join(cells[row * self.columns :][: self.columns]) for row in range(self.rows))


@functools.lru_cache(maxsize=64)
def _rules(rows: int, columns: int, ranks: int) -> Game:
    """Return the game of a size at its start."""
    cells, home = (1 << rows * columns) - 1, (1 << ranks * columns) - 1
    left = sum(1 << row * columns for row in range(rows))
    words = [home, home << (rows - ranks) * columns, 1, rows, columns, left, cells]
    return Game(
        state=np.array(words, dtype=np.uint64).view(np.int64),
        most_moves=3 * ranks * columns,
        most_plies=sum(2 * columns * (rows - 1 - rank) for rank in range(ranks)),
        legal=legal,
        play=play,
        outcome=outcome,
        playouts={"uniform": uniform_playout},
        to_move=TO_MOVE,
    )
