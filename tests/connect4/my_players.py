"""Players as a user would write them in a file of their own, good and bad, for the tests of `custom`."""

from __future__ import annotations

import random
import time
from typing import Any

from connect4 import Board
from experiments.players import make_player

number = 3


def leftmost(board: Board) -> int:
    """The first open column."""
    return board.legal_moves()[0]


class Wanderer:
    """Plays at random from its own seed."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def play(self, board: Board) -> int:
        return self.random.choice(board.legal_moves())


class Caller:
    """Has no `play`, but can be called."""

    def __call__(self, board: Board) -> int:
        return board.legal_moves()[-1]


class Rememberer:
    """Plays one column further to the right at each of its moves: what it remembers shows."""

    def __init__(self) -> None:
        self.moves = -1

    def play(self, board: Board) -> int:
        self.moves += 1
        return self.moves % board.width


class Spoiler:
    """Plays on the board that it was given."""

    def play(self, board: Board) -> int:
        column = board.legal_moves()[0]
        while not board.is_finished():
            board.play(board.legal_moves()[0])
        return column


class Inner(type(make_player("random"))):  # type: ignore[misc]
    """A player of the project's own kind."""

    kind = "inner"


def endless(board: Board) -> int:
    """Never answers."""
    while True:
        pass


def endless_catching(board: Board) -> int:
    """Never answers, and catches every Exception on the way."""
    while True:
        try:
            sum(range(10))
        except Exception:
            continue


def sleeper(board: Board) -> int:
    """Sleeps where nothing can be raised in it."""
    time.sleep(120.0)
    return 0


def raises(board: Board) -> int:
    """Fails, and says so on two lines."""
    raise RuntimeError("no idea\nat all")


def leaves(board: Board) -> int:
    """Tries to end the program."""
    raise SystemExit(3)


def word(board: Board) -> Any:
    """Answers with a word."""
    return "left"


class NeedsMore:
    """Cannot be made."""

    def __init__(self, book: str):
        self.book = book


class Mute:
    """Has neither `play` nor `__call__`."""


def two(board: Board, player: int) -> int:
    """Wants to know more than a board."""
    return 0
