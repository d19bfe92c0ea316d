"""Problems as ordinary classes, for tests; each module-level, so that other processes can import it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


@dataclass(frozen=True)
class Nim:
    """Who takes the last object wins."""

    heaps: tuple[int, ...]
    mover: int = 0

    def moves(self) -> list[tuple[int, int]]:
        return [(heap, taken) for heap, size in enumerate(self.heaps) for taken in range(1, size + 1)]

    def play(self, move: tuple[int, int]) -> Nim:
        heap, taken = move
        left = [size - taken * (number == heap) for number, size in enumerate(self.heaps)]
        return type(self)(tuple(left), 1 - self.mover)

    def player(self) -> int:
        return self.mover

    def result(self) -> tuple[int, int] | None:
        if any(self.heaps):
            return None
        return (1, 0) if self.mover == 1 else (0, 1)


class Crosses:
    """Tic-tac-toe, without equality."""

    def __init__(self, cells: tuple[int | None, ...] = (None,) * 9, mover: int = 0):
        self.cells, self.mover = cells, mover

    def moves(self) -> list[int]:
        return [cell for cell in range(9) if self.cells[cell] is None]

    def play(self, cell: int) -> Crosses:
        cells = list(self.cells)
        cells[cell] = self.mover
        return type(self)(tuple(cells), 1 - self.mover)

    def player(self) -> int:
        return self.mover

    def result(self) -> tuple[int, int] | None:
        for a, b, c in LINES:
            if self.cells[a] is not None and self.cells[a] == self.cells[b] == self.cells[c]:
                return (1, -1) if self.cells[a] == 0 else (-1, 1)
        return None if None in self.cells else (0, 0)


class Tree:
    """A random tree: any number of moves, the same player as often as another, a result at each end."""

    def __init__(self, word: int, depth: int, results: tuple[Any, ...] = ((1, 0), (0, 1), (0.5, 0.5))):
        draws = random.Random(word)
        self.word, self.depth, self.results = word, depth, results
        self.mover, self.width, self.last = draws.randrange(2), draws.randint(1, 3), draws.choice(results)

    def moves(self) -> str | list[str]:
        return [f"move {number}" for number in range(self.width)]

    def play(self, move: str) -> Tree:
        return Tree(self.word * 4 + int(move[-1]) + 1, self.depth - 1, self.results)

    def player(self) -> int:
        return self.mover

    def result(self) -> Any:
        return self.last if self.depth == 0 else None

    def value(self) -> float:
        """Return what player 0 gets under best play."""
        if self.depth == 0:
            return float(self.last[0])
        values = [self.play(move).value() for move in self.moves()]
        return max(values) if self.mover == 0 else min(values)
