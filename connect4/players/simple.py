"""Players that look at most one stone ahead, and their base: they name the best columns and play one at random."""

from __future__ import annotations

from typing import Any

from connect4.board import Board, for_player, is_of_another_game
from numerics.players import Player
from numerics.positions import moves_of


class Chooser(Player):
    """Plays one of its candidates, each with equal probability; subclasses name the candidates."""

    def candidates(self, board: Board) -> list[int]:
        """Return the columns to draw from on a board whose game is not over."""
        raise NotImplementedError

    def check_board(self, board: Any) -> None:
        """Refuse a position of another game."""
        for_player(self.name, board)

    def play(self, board: Any) -> Any:
        """Return the column to play.

        Raises
        ------
        ValueError
            A game that is over, or not of Connect 4.
        """
        board = for_player(self.name, board)
        if board.is_finished():
            raise ValueError(f"board must not be finished; the game is over after {board.plies} stones")
        columns = self.candidates(board)
        return columns[self.pick(len(columns))] if len(columns) > 1 else columns[0]


class RandomPlayer(Chooser, name="random"):
    """Plays any legal move with equal probability, in Connect 4 and in any other game."""

    def check_board(self, board: Any) -> None:
        """Refuse what is neither a board nor a position of `numerics.positions`."""
        if not is_of_another_game(board):
            super().check_board(board)

    def play(self, board: Any) -> Any:
        """Return the move to play."""
        if not is_of_another_game(board):
            return super().play(board)
        moves = moves_of(board)
        return moves[self.pick(len(moves))]

    def candidates(self, board: Board) -> list[int]:
        """Return the legal columns."""
        return board.legal_moves()


class Level0(Chooser, name="level_0"):
    """Plays any column with equal probability, full ones too: an illegal move loses the game."""

    def candidates(self, board: Board) -> list[int]:
        """Return all columns."""
        return list(range(board.width))


class Level1(RandomPlayer, name="level_1"):
    """Plays any legal column with equal probability; the same player as `random`, by its name among the levels."""


class Level2(Chooser, name="level_2"):
    """Wins at once if it can, else plays any legal column with equal probability."""

    def candidates(self, board: Board) -> list[int]:
        """Return the columns that win, else the legal ones."""
        return board.winning_moves() or board.legal_moves()


class Level3(Chooser, name="level_3"):
    """Wins at once if it can, else blocks an immediate win of the other side, else plays any legal column."""

    def candidates(self, board: Board) -> list[int]:
        """Return the columns that win, else those that block, else the legal ones."""
        return board.winning_moves() or board.winning_moves(-board.to_move) or self.quiet(board)

    def quiet(self, board: Board) -> list[int]:
        """Return the candidates where no column wins or blocks."""
        return board.legal_moves()


class BiasedRandom(Level3, name="biased_random"):
    """Wins at once if it can, else blocks, else plays any legal column; the same player as `level_3`.

    By the name that it has where it plays the playouts of Monte-Carlo searches. A row of three wins, or is blocked,
    wherever its playable hole is.
    """
