"""Connect 4 of any size: the board, its kernels, and players that need no bandit rule.

    >>> from connect4 import Board
    >>> board = Board.from_moves("4453")
    >>> board.to_move, board.legal_moves()
    (1, [0, 1, 2, 3, 4, 5, 6])

Importing this package loads NumPy and nothing slower.
"""

from connect4.board import Board
from connect4.lines import find_winning_quadruplets, lines_through_cells, winning_lines
from connect4.players import PLAYERS, Player, make_player
from connect4.referee import run

__all__ = [
    "PLAYERS", "Board", "Player", "find_winning_quadruplets", "lines_through_cells", "make_player", "run",
    "winning_lines",
]  # fmt: skip
