"""The strongest search: UCT with every option that measurably helps in Connect 4."""

from __future__ import annotations

from typing import Any

from connect4 import Board
from connect4.kernels.encode import fits_bitboard
from mcts import UCTPlayer
from mcts.parallel import AnySearch


class BestUCTPlayer(
    UCTPlayer,
    name="uct_best",
    policy="puct",
    playouts="careful",
    solve=True,
    transpositions=True,
    tactics=True,
    exact=True,
    prior="lines",
):
    """Searches as uct does, with the options that are best for Connect 4 together; boards of up to 64 bits.

    Threats and follow-up play decide nodes early. Playouts give no winning cell away and avoid the cells below their
    own. A prior favours cells with many lines, transpositions share their statistics, and proven values are backed up.
    Two thirds of the time are spent on an exact search of the moves, which sees who wins with the last stones.
    `docs/measured/search.md` has the measurements.
    """

    def check_board(self, board: Any) -> None:
        """Refuse a board of more than 64 bits.

        Raises
        ------
        ValueError
            Tactics, an exact search or careful playouts on such a board.

        Examples
        --------
        >>> BestUCTPlayer().check_board(Board(8, 8))
        Traceback (most recent call last):
        ValueError: board must have at most 64 bits, columns x (rows + 1), for the player uct_best; got 8x8, of 72 bits
        """
        self._check_bits(board)
        super().check_board(board)

    def begin(self, board: Any) -> AnySearch:
        """Return the search of a position, of at most 64 bits, before its budget is spent."""
        self._check_bits(board)
        return super().begin(board)

    def _check_bits(self, board: Any) -> None:
        needs_bits = self.tactics or self.exact or self.playouts == "careful"
        if needs_bits and isinstance(board, Board) and not fits_bitboard(board.width, board.height):
            raise ValueError(
                f"board must have at most 64 bits, columns x (rows + 1), for the player {self.name}; "
                f"got {board.width}x{board.height}, of {board.width * (board.height + 1)} bits"
            )
