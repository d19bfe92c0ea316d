"""Search with the policies of the bandits package; a game is known only through the hooks of `numerics.games`.

    >>> from connect4 import Board
    >>> from mcts import monte_carlo_values
    >>> monte_carlo_values(Board.from_moves("112233"), policy="ucb", simulations=1_000, seed=0).best_move
    3

Importing this package loads NumPy and nothing slower.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
