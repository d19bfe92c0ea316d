"""Positions for tests of players and searches: random games, stopped on the way."""

from __future__ import annotations

import random

from connect4 import Board


def undecided(
    count: int, sizes: list[tuple[int, int, int]], seed: int = 1, fewest: int = 0, most: int = 10**9, left: int = 10**9
) -> list[Board]:
    """Return random positions in which the game goes on, of (width, height, connect) in turn.

    They have from `fewest` to `most` stones, and at most `left` empty cells.
    """
    chance, boards = random.Random(seed), []
    while len(boards) < count:
        board = Board(*sizes[len(boards) % len(sizes)])
        cells = board.width * board.height
        for _ in range(chance.randrange(max(fewest, cells - left), min(most + 1, cells))):
            board.play(chance.choice(board.legal_moves()))
            if board.is_finished():
                break
        else:
            boards.append(board)
    return boards
