"""Problems as ordinary classes, for tests; each module-level, so that other processes can import it."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class PigGame:
    """Pig of one die, with probabilities: results are 1 and 0."""

    goal: int
    points: tuple[int, int] = (0, 0)
    turn: int = 0
    mover: int = 0
    rolls: bool = False

    def moves(self) -> list[str]:
        return ["roll", "hold"] if self.turn else ["roll"]

    def play(self, move: str) -> PigGame:
        if move == "roll":
            return replace(self, rolls=True)
        points = list(self.points)
        points[self.mover] += self.turn
        return replace(self, points=tuple(points), turn=0, mover=1 - self.mover)

    def player(self) -> int | str:
        return "chance" if self.rolls else self.mover

    def after(self, side: int) -> PigGame:
        if side == 1:
            return replace(self, turn=0, mover=1 - self.mover, rolls=False)
        return replace(self, turn=min(self.turn + side, self.goal), rolls=False)

    def chance(self) -> list[tuple[float, PigGame]]:
        return [(1.0 / 6.0, self.after(side)) for side in range(1, 7)]

    def result(self) -> tuple[float, float] | None:
        if self.rolls or self.points[self.mover] + self.turn < self.goal:
            return None
        return (1.0, 0.0) if self.mover == 0 else (0.0, 1.0)


class DrawnPig(PigGame):
    """Pig whose die can only be thrown."""

    chance = property()  # which has no getter: the attribute is missing

    def sample(self, rng: random.Random) -> PigGame:
        return self.after(rng.randint(1, 6))


@dataclass(frozen=True)
class Corridor:
    """One player walks from 0 to the end, at a cost for each step; a jump of two may slip back. Rewards on the way."""

    length: int = 5
    at: int = 0

    def moves(self) -> list[str]:
        return ["step", "jump"]

    def play(self, move: str) -> tuple[Corridor, float]:
        if move == "step":
            return type(self)(self.length, self.at + 1), -1.0
        return type(self)(self.length, self.at + 2 if self.at % 3 else max(self.at - 1, 0)), -1.5

    def player(self) -> int:
        return 0

    def result(self) -> float | None:
        return 10.0 if self.at >= self.length else None


@dataclass(frozen=True)
class Sharing:
    """Three players, each twice in a row, take 1 to 3 points from a pile; whoever takes the last ones pays 5.

    Every player has a score of their own, which is no other's loss.
    """

    left: int = 8
    turn: int = 0

    def moves(self) -> list[int]:
        return [1, 2, 3][: self.left]

    def play(self, move: int) -> tuple[Sharing, list[float]]:
        rewards = [0.0, 0.0, 0.0]
        rewards[self.player()] = float(move)
        return Sharing(self.left - move, self.turn + 1), rewards

    def player(self) -> int:
        return self.turn // 2 % 3

    def result(self) -> list[float] | None:
        if self.left:
            return None
        return [-5.0 if player == (self.turn - 1) // 2 % 3 else 0.0 for player in range(3)]


class Coins:
    """Two players take a coin from either end of a row. Results are differences of points, often 1 or -1."""

    def __init__(self, row=(1, 2, 1, 3, 1, 1), points=(0, 0), mover=0):
        self.row, self.points, self.mover = row, points, mover

    def moves(self):
        return [0, -1] if len(self.row) > 1 else [0]

    def play(self, end):
        points = list(self.points)
        points[self.mover] += self.row[end]
        return type(self)(self.row[1:] if end == 0 else self.row[:-1], tuple(points), 1 - self.mover)

    def player(self):
        return self.mover

    def result(self):
        return None if self.row else (self.points[0] - self.points[1], self.points[1] - self.points[0])


class RareRewards(Coins):
    """A game of wins and losses that seldom pays on the way."""

    def play(self, end):
        after = super().play(end)
        return (after, (2, 0)) if self.row[end] == 3 else after

    def result(self):
        if self.row:
            return None
        return (1, 0) if self.points[0] > self.points[1] else (0, 1)


class RareChance:
    """Who has eight points first wins; three are safe, or a coin decides between one and five."""

    def __init__(self, points=(0, 0), mover=0, is_thrown=False):
        self.points, self.mover, self.is_thrown = points, mover, is_thrown

    def moves(self):
        return ["three", "3", "coin"]

    def play(self, move):
        return RareChance(self.points, self.mover, is_thrown=True) if move == "coin" else self.add(3)

    def add(self, points):
        after = list(self.points)
        after[self.mover] += points
        return RareChance(tuple(after), 1 - self.mover)

    def player(self):
        return "chance" if self.is_thrown else self.mover

    def chance(self):
        return [(0.5, self.add(points)) for points in (1, 5)]

    def result(self):
        return None if max(self.points) < 8 else (1, 0) if self.points[0] > self.points[1] else (0, 1)


def best_values(game: Any) -> list[float]:
    """Return each player's total where all play their best (max-n), without chance; the first of equal moves."""
    if (result := game.result()) is not None:
        return [float(one) for one in result]
    found = []
    for move in game.moves():
        after = game.play(move)
        after, rewards = after if isinstance(after, tuple) else (after, None)
        values = best_values(after)
        found.append([one + more for one, more in zip(values, rewards or [0.0] * len(values), strict=True)])
    return max(found, key=lambda values: values[game.player()])
