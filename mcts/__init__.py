"""Search with the policies of the bandits package; a game is known only through the hooks of `numerics.games`.

    >>> from connect4 import Board
    >>> from mcts import monte_carlo_values
    >>> monte_carlo_values(Board.from_moves("112233"), policy="ucb", simulations=1_000, seed=0).best_move
    3

Importing this package loads NumPy and nothing slower.
"""

from __future__ import annotations

from treebandit.strangers import refuse_strangers

refuse_strangers("numerics", "bandits")

from mcts.confidence.moves import MoveIntervals, identify_branch, identify_move
from mcts.flat import MoveValues, monte_carlo_values, playout_values
from mcts.parallel import search
from mcts.players import BiasedMonteCarloPlayer, MonteCarloPlayer
from mcts.result import SearchResult
from mcts.tree_search import Search
from mcts.uct import UCTPlayer

__all__ = [
    "BiasedMonteCarloPlayer",
    "MonteCarloPlayer",
    "MoveIntervals",
    "MoveValues",
    "Search",
    "SearchResult",
    "UCTPlayer",
    "identify_branch",
    "identify_move",
    "monte_carlo_values",
    "playout_values",
    "search",
]


def __dir__() -> list[str]:
    """Return the public names, for completion; modules can be imported all the same."""
    return __all__
