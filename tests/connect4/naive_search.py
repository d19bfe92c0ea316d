"""Naive twins of the searches: columns as lists of stones, every move tried, nothing pruned, no kernel called."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator

from connect4 import Board

Columns = list[list[int]]  # the stones of each column from the bottom, 1 or -1
Value = tuple[float, int]  # what a position is worth, and for a won or lost one how many stones away the row is


def columns_of(board: Board) -> Columns:
    """Read the columns off the grid."""
    grid = board.grid[::-1]
    return [[int(grid[row, column]) for row in range(height)] for column, height in enumerate(board.heights)]


def has_row(columns: Columns, connect: int, player: int) -> bool:
    """Look from every stone of the player in every direction: do `connect` of them follow each other."""
    return _has_row(tuple(map(tuple, columns)), connect, player)


@functools.lru_cache(maxsize=1 << 18)  # different orders of moves, sides and depths ask again
def _has_row(columns: tuple[tuple[int, ...], ...], connect: int, player: int) -> bool:
    cells = {(c, r) for c, column in enumerate(columns) for r, stone in enumerate(column) if stone == player}
    return any(
        all((c + step * right, r + step * up) in cells for step in range(connect))
        for c, r in cells
        for right, up in ((0, 1), (1, 0), (1, 1), (1, -1))
    )


def after_moves(columns: Columns, height: int, player: int) -> Iterator[tuple[int, Columns]]:
    """Every open column, and the columns after a stone of the player on it."""
    for number, column in enumerate(columns):
        if len(column) < height:
            yield number, [*columns[:number], [*column, player], *columns[number + 1 :]]


def minimax(
    columns: Columns,
    height: int,
    connect: int,
    player: int,
    depth: int,
    heuristic: Callable[[Columns], float],
    stones: int = 0,
) -> Value:
    """The value for `player`, who moves next: the best of all moves, each the other side's value turned round."""
    if has_row(columns, connect, -player):
        return (-math.inf, stones)
    if all(len(column) == height for column in columns):
        return (0.0, 0)
    if depth == 0:
        return (player * heuristic(columns), 0)
    values = []
    for _, after in after_moves(columns, height, player):
        worth, away = minimax(after, height, connect, -player, depth - 1, heuristic, stones + 1)
        values.append((-worth, -away))
    return max(values)


def column_values(board: Board, player: int, depth: int, heuristic: Callable[[Columns], float]) -> dict[int, Value]:
    """The value of every open column for a player."""
    values = {}
    for number, after in after_moves(columns_of(board), board.height, player):
        worth, away = minimax(after, board.height, board.connect, -player, depth - 1, heuristic, 1)
        values[number] = (-worth, -away)
    return values


def lookahead(columns: Columns, height: int, connect: int, player: int, ply: int) -> list[float]:
    """The scores of document 003, by its own recursion; a board that is full without a row is 50 for both."""
    scores = [-1.0] * len(columns)
    for number, after in after_moves(columns, height, player):
        if has_row(columns, connect, player) or has_row(columns, connect, -player) or ply == 0:
            after, left = columns, 0
        else:
            left = ply - 1
        if has_row(after, connect, player):
            scores[number] = 100.0
        elif has_row(after, connect, -player):
            scores[number] = 0.0
        elif left == 0 or all(len(column) == height for column in after):
            scores[number] = 50.0
        else:
            scores[number] = 100.0 - max(lookahead(after, height, connect, -player, left))
    return scores


def exact_scores(board: Board) -> dict[int, int]:
    """The score of every open column by trying everything: half of the stones that are left after a win."""
    return {column: _score_after(board, column) for column in board.legal_moves()}


@functools.cache
def exact_score(board: Board) -> int:
    """The best of them; a win at once is the best that there can be."""
    best, most = -board.width * board.height, (board.width * board.height + 1 - board.plies) // 2
    for column in board.legal_moves():
        best = max(best, _score_after(board, column))
        if best == most:
            break
    return best


def _score_after(board: Board, column: int) -> int:
    after = board.copy()
    after.play(column)
    if after.winner():
        return (board.width * board.height + 1 - board.plies) // 2
    return 0 if after.is_finished() else -exact_score(after)
