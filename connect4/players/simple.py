"""Players that look at most one stone ahead: at random, and with an eye for immediate wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from connect4.board import Board
from connect4.players.chooser import Chooser


@dataclass(kw_only=True)
class RandomPlayer(Chooser):
    """Plays any legal column with equal probability."""

    kind: ClassVar[str] = "random"

    def candidates(self, board: Board) -> list[int]:
        """Return the legal columns."""
        return board.legal_moves()


@dataclass(kw_only=True)
class Level0(Chooser):
    """Plays any column with equal probability, full ones too: an illegal move loses the game."""

    kind: ClassVar[str] = "level_0"

    def candidates(self, board: Board) -> list[int]:
        """Return all columns."""
        return list(range(board.width))


@dataclass(kw_only=True)
class Level1(RandomPlayer):
    """Plays any legal column with equal probability; the same player as `random`, by its name among the levels."""

    kind: ClassVar[str] = "level_1"


@dataclass(kw_only=True)
class Level2(Chooser):
    """Wins at once if it can, else plays any legal column with equal probability."""

    kind: ClassVar[str] = "level_2"

    def candidates(self, board: Board) -> list[int]:
        """Return the columns that win, else the legal ones."""
        return board.winning_moves() or board.legal_moves()


@dataclass(kw_only=True)
class Level3(Chooser):
    """Wins at once if it can, else blocks an immediate win of the other side, else plays any legal column."""

    kind: ClassVar[str] = "level_3"

    def candidates(self, board: Board) -> list[int]:
        """Return the columns that win, else those that block, else the legal ones."""
        return board.winning_moves() or board.winning_moves(-board.to_move) or self.quiet(board)

    def quiet(self, board: Board) -> list[int]:
        """Return the candidates where nothing is to be won or blocked."""
        return board.legal_moves()


@dataclass(kw_only=True)
class BiasedRandom(Level3):
    """Wins at once if it can, else blocks, else plays any legal column; the same player as `level_3`.

    By the name that it has where it plays the endings of Monte-Carlo searches. A row of three wins, or is blocked,
    wherever its playable hole is.
    """

    kind: ClassVar[str] = "biased_random"
