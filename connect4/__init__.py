"""Connect 4 of any size: the board, its kernels, players that need no bandit rule, and the exact solver.

    >>> from connect4 import Board
    >>> board = Board.from_moves("4453")
    >>> board.to_move, board.legal_moves()
    (1, [0, 1, 2, 3, 4, 5, 6])

Players with a bandit rule or a tree stand in `mcts`; `experiments.players.make_player` makes any player by its name:
`make_player("uct", c=0.5)`, `make_player("minimax", depth=5)`. Importing this package loads NumPy and nothing slower.
"""

from treebandit.strangers import refuse_strangers

refuse_strangers("numerics")

from connect4.board import Board
from connect4.lines import find_winning_quadruplets, lines_through_cells, winning_lines
from connect4.solver import Analysis, Solution, Solver, analyse, solve

__all__ = [
    "Analysis",
    "Board",
    "Solution",
    "Solver",
    "analyse",
    "find_winning_quadruplets",
    "lines_through_cells",
    "solve",
    "winning_lines",
]


def __dir__() -> list[str]:
    """Return the public names, for completion; modules can be imported all the same."""
    return __all__
