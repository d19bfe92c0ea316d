"""Connect 4 of any size: the board, its kernels, players that need no bandit rule, and the exact solver.

    >>> from connect4 import Board
    >>> board = Board.from_moves("4453")
    >>> board.to_move, board.legal_moves()
    (1, [0, 1, 2, 3, 4, 5, 6])

Players with a bandit rule or a tree stand in `mcts`; `experiments.players.make_player` makes any player by its name:
`make_player("uct", c=0.5)`, `make_player("minimax", depth=5)`. Importing this package loads NumPy and nothing slower.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
