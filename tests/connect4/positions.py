"""Positions for tests of players: random games, stopped on the way."""

from __future__ import annotations

import random

from connect4 import Board


def undecided(count: int, sizes: list[tuple[int, int, int]], seed: int = 1) -> list[Board]:
    """Return random positions in which the game goes on, of (width, height, connect) in turn."""
    chance, boards = random.Random(seed), []
    while len(boards) < count:
        board = Board(*sizes[len(boards) % len(sizes)])
        for _ in range(chance.randrange(board.width * board.height)):
            board.play(chance.choice(board.legal_moves()))
            if board.is_finished():
                break
        else:
            boards.append(board)
    return boards
