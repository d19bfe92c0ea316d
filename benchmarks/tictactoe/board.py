"""Tic-tac-toe in plain Python, the body of the class that each library is given, and how its search is timed.

The scripts beside this file run in environments that hold one library and nothing of ours, so they import only this.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
_WARM = 50  # simulations before the clock starts


class Board:
    """A position, which never changes; the players are 0 and 1."""

    def __init__(self, cells: tuple[int | None, ...] = (None,) * 9, mover: int = 0):
        self.cells, self.mover = cells, mover

    def free(self) -> list[int]:
        """Return the cells without a stone."""
        return [cell for cell in range(9) if self.cells[cell] is None]

    def filled(self, cell: int) -> tuple[int | None, ...]:
        """Return the cells after a move."""
        cells = list(self.cells)
        cells[cell] = self.mover
        return tuple(cells)

    def after(self, cell: int) -> Board:
        """Return the position after a move."""
        return type(self)(self.filled(cell), 1 - self.mover)

    def winner(self) -> int | None:
        """Return who has three in a line."""
        for a, b, c in LINES:
            if self.cells[a] is not None and self.cells[a] == self.cells[b] == self.cells[c]:
                return self.cells[a]
        return None

    def is_over(self) -> bool:
        """Return whether someone has won, or no cell is free."""
        return self.winner() is not None or None not in self.cells

    def score(self) -> int:
        """Return the result for player 0: 1, 0 or -1."""
        return {0: 1, 1: -1, None: 0}[self.winner()]


def report(search: Callable[[int], tuple[int, int]]) -> None:
    """Search with as many simulations as the command line says; print the playouts, the processor time and the move.

    `search` takes simulations and returns the visits of the root and the move.
    """
    search(_WARM)
    start = time.process_time()
    visits, move = search(int(sys.argv[1]))
    print(json.dumps({"playouts": visits, "seconds": time.process_time() - start, "move": move}))
