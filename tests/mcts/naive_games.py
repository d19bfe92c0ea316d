"""Dots and Boxes, Breakthrough and Hex once more, by sets of cells; and what best play gives, by plain recursion."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol


class Naive(Protocol):
    """A position of a game without draws."""

    def after(self) -> Iterator[tuple[int, Any, bool]]:
        """Yield each legal move, what follows it, and whether it has won."""


@dataclass(frozen=True)
class NaiveHex:
    """Stones of the side to move and of the other; player 1 connects rows."""

    size: int
    mine: frozenset[int] = frozenset()
    theirs: frozenset[int] = frozenset()
    player: int = 1

    def after(self) -> Iterator[tuple[int, NaiveHex, bool]]:
        for cell in range(self.size**2):
            if cell not in self.mine | self.theirs:
                stones = self.mine | {cell}
                yield cell, NaiveHex(self.size, self.theirs, stones, -self.player), self._connects(stones)

    def _connects(self, stones: frozenset[int]) -> bool:
        across = 0 if self.player == 1 else 1
        places = {divmod(stone, self.size) for stone in stones}
        todo = [place for place in places if place[across] == 0]
        seen = set(todo)
        while todo:
            row, column = todo.pop()
            if (row, column)[across] == self.size - 1:
                return True
            for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)):
                place = row + down, column + right
                if place in places and place not in seen:
                    seen.add(place)
                    todo.append(place)
        return False


@dataclass(frozen=True)
class NaiveBreakthrough:
    """Pieces of the side to move and of the other, by row and column; player 1 moves down."""

    rows: int
    columns: int
    mine: frozenset[tuple[int, int]]
    theirs: frozenset[tuple[int, int]]
    player: int = 1

    @staticmethod
    def start(rows: int, columns: int, ranks: int = 2) -> NaiveBreakthrough:
        def cells(first: int) -> frozenset[tuple[int, int]]:
            return frozenset((first + row, column) for row in range(ranks) for column in range(columns))

        return NaiveBreakthrough(rows, columns, cells(0), cells(rows - ranks))

    def after(self) -> Iterator[tuple[int, NaiveBreakthrough, bool]]:
        for row, column in sorted(self.mine):
            for direction in (0, 1, 2):
                end = row + self.player, column + direction - 1
                if not (0 <= end[1] < self.columns) or end in self.mine or (direction == 1 and end in self.theirs):
                    continue
                mine, theirs = self.mine - {(row, column)} | {end}, self.theirs - {end}
                has_won = not theirs or end[0] == (self.rows - 1 if self.player == 1 else 0)
                after = NaiveBreakthrough(self.rows, self.columns, theirs, mine, -self.player)
                yield 3 * (row * self.columns + column) + direction, after, has_won


@functools.cache
def plies(position: Hashable) -> int:
    """The moves to the end: positive where the side to move wins, as soon as it can, else negative."""
    lengths = list(plies_by_move(position).values())
    wins = [length for length in lengths if length > 0]
    return min(wins) if wins else min(lengths)


def plies_by_move(position: Any) -> dict[int, int]:
    """The moves to the end with each legal move, that one included."""
    found = {}
    for move, after, has_won in position.after():
        length = 1 if has_won else plies(after)
        found[move] = 1 if has_won else (-length + 1 if length < 0 else -length - 1)
    return found


@functools.cache
def boxes_to_win(rows: int, columns: int, drawn: frozenset[tuple[str, int, int]] = frozenset()) -> int:
    """The boxes that the side to move of Dots and Boxes still wins, less those of the other."""
    return max(boxes_by_edge(rows, columns, drawn).values(), default=0)


def boxes_by_edge(rows: int, columns: int, drawn: frozenset[tuple[str, int, int]]) -> dict[tuple[str, int, int], int]:
    """The same after each edge: ("h" or "v", row, column)."""
    edges = [("h", row, column) for row in range(rows + 1) for column in range(columns)]
    edges += [("v", row, column) for row in range(rows) for column in range(columns + 1)]
    found = {}
    for edge in set(edges) - drawn:
        after = drawn | {edge}
        closed = len(closed_boxes(rows, columns, after)) - len(closed_boxes(rows, columns, drawn))
        rest = boxes_to_win(rows, columns, after)
        found[edge] = closed + rest if closed else -rest
    return found


def closed_boxes(rows: int, columns: int, drawn: frozenset[tuple[str, int, int]]) -> set[tuple[int, int]]:
    """The boxes all of whose edges are drawn."""
    return {
        (row, column)
        for row in range(rows)
        for column in range(columns)
        if {("h", row, column), ("h", row + 1, column), ("v", row, column), ("v", row, column + 1)} <= drawn
    }
