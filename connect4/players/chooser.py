"""The base of most players: they name the best columns and play one of them at random."""

from __future__ import annotations

from connect4.board import Board
from numerics.players import Player


class Chooser(Player):
    """Plays one of its candidates, each with equal probability; subclasses name the candidates."""

    def candidates(self, board: Board) -> list[int]:
        """Return the columns to draw from on a board whose game is not over."""
        raise NotImplementedError

    def play(self, board: Board) -> int:
        """Return the column to play.

        Raises
        ------
        ValueError
            A game that is over.
        """
        if board.is_finished():
            raise ValueError(f"board must have a game that goes on; after {board.plies} stones it is over")
        columns = self.candidates(board)
        return columns[self.pick(len(columns))] if len(columns) > 1 else columns[0]
