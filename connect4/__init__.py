"""Connect 4 of any size: the board, its kernels, players that need no bandit rule, and the exact solver.

    >>> from connect4 import Board
    >>> board = Board.from_moves("4453")
    >>> board.to_move, board.legal_moves()
    (1, [0, 1, 2, 3, 4, 5, 6])

Importing this package loads NumPy and nothing slower.
"""

from typing import TYPE_CHECKING, Any

from connect4.board import Board
from connect4.lines import find_winning_quadruplets, lines_through_cells, winning_lines
from connect4.players import PLAYERS, Player, make_player
from connect4.referee import run

if TYPE_CHECKING:
    from connect4.solver import Analysis, Solution, Solver, analyse, solve

__all__ = [
    "PLAYERS", "Analysis", "Board", "Player", "Solution", "Solver", "analyse", "find_winning_quadruplets",
    "lines_through_cells", "make_player", "run", "solve", "winning_lines",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import the solver when it is first asked for, so that `python -m connect4.solver` runs it as its own module."""
    if name in ("Analysis", "Solution", "Solver", "analyse", "solve"):
        from connect4 import solver

        return getattr(solver, name)
    raise AttributeError(f"module 'connect4' has no attribute {name!r}")
