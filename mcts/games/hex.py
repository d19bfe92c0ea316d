"""The board of Hex: who first connects two sides wins."""

from __future__ import annotations

import functools

import numpy as np

from mcts.games.exact import ForcedWins
from mcts.games.kernels.forced_wins import HEX, MOST_CELLS, memory_for, narrow
from mcts.games.kernels.hex import LARGEST, MINE, SIZE, THEIRS, TO_MOVE, legal, outcome, play, uniform_playout
from numerics import checks
from numerics.games import Exact, Game, Words

_LEAST_BITS, _MOST_BITS = 10, 24  # of the table of an exact search


class Hex(ForcedWins):
    """A position of Hex, which never changes.

    Parameters
    ----------
    size : int, default 8
        Rows and columns, from 2 to 8.

    Raises
    ------
    ValueError
        A size out of range; the sentence names it.

    Notes
    -----
    A move is a cell: row * size + column, from the top.

    Examples
    --------
    >>> board = Hex(3).play(4).play(2).play(1).play(0).play(6)
    >>> print(board)
    o x o
     . x .
      x . .
    >>> board.result()
    (1.0, 0.0)
    >>> Hex(2).scores(), Hex(2).plies()
    ([-1, 1, 1, -1], [-4, 3, 3, -4])
    """

    __slots__ = ()
    kind = HEX

    def __init__(self, size: int = LARGEST):
        super().__init__(_rules(checks.check_whole("size", size, 2, LARGEST)), TO_MOVE)

    @property
    def size(self) -> int:
        """Rows and columns."""
        return int(self._state[SIZE])

    def _size(self) -> tuple[int, ...]:
        return (self.size,)

    def _shape(self) -> tuple[int, int]:
        return self.size, self.size

    def _most_plies(self) -> int:
        return self.size**2 - len(self.history)

    def __str__(self) -> str:
        size, first, second = self.size, int(self._state[MINE]), int(self._state[THEIRS])
        if self.player() == 1:
            first, second = second, first
        cells = ["x" if first >> cell & 1 else "o" if second >> cell & 1 else "." for cell in range(size * size)]
        return "\n".join(" " * row + " ".join(cells[row * size :][:size]) for row in range(size))


def _memory(state: Words, positions: int) -> Words:
    """Return memory for exact searches of about so many positions."""
    bits = min(max(int(positions).bit_length(), _LEAST_BITS), _MOST_BITS)
    return memory_for(HEX, int(state[SIZE]) ** 2, bits)


@functools.lru_cache(maxsize=16)
def _rules(size: int) -> Game:
    """Return the game of a size at its start."""
    left = sum(1 << row * size for row in range(size))
    words = [0, 0, 1, size, left, (1 << size * size) - 1]
    return Game(
        state=np.array(words, dtype=np.uint64).view(np.int64),
        most_moves=size * size,
        most_plies=size * size,
        legal=legal,
        play=play,
        outcome=outcome,
        playouts={"uniform": uniform_playout},
        exact=Exact(narrow, _memory) if size * size <= MOST_CELLS else None,
        to_move=TO_MOVE,
    )
