"""P-games: random trees of known value, the second game of the search and that of UCT's founding paper.

Every move of the first player is worth a whole number drawn from 0 ... 127, every move of the second player one from
-127 ... 0; after `depth` moves the first player has won if the sum is positive, the second if it is negative. A node's
numbers depend on its path only, so that the tree need not be stored.

Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006, section 4.1, after Smith and Nau (1994).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcts.games import p_game_kernels as kernels
from numerics import checks
from numerics.games import Game
from numerics.random import Purpose, streams

_DEEPEST, _WIDEST = 1_000, 1_000


@dataclass(frozen=True)
class PGame:
    """A P-game at its root, where the first player is to move.

    Parameters
    ----------
    branching : int, default 2
        Moves of every position, from 1 to 1,000.
    depth : int, default 10
        Moves of every game, from 1 to 1,000.
    seed, tree : int, default 0
        They identify the tree; at least 0.

    Examples
    --------
    >>> tree = PGame(branching=2, depth=4, seed=0, tree=3)
    >>> tree.game.most_moves, tree.values().size
    (2, 2)
    """

    branching: int = 2
    depth: int = 10
    seed: int = 0
    tree: int = 0

    def __post_init__(self) -> None:
        checks.whole("branching", self.branching, 1, _WIDEST)
        checks.whole("depth", self.depth, 1, _DEEPEST)
        checks.whole("seed", self.seed, 0)
        checks.whole("tree", self.tree, 0)

    @property
    def game(self) -> Game:
        """The root for a search."""
        word = streams(self.seed, (Purpose.P_GAME_TREE,), self.tree, 1)[0, :1].view(np.int64)[0]
        return Game(
            state=np.array([word, self.depth, self.branching, 0, 1], dtype=np.int64),
            most_moves=self.branching,
            most_plies=self.depth,
            legal=kernels.legal,
            play=kernels.play,
            outcome=kernels.outcome,
            playouts={"uniform": kernels.uniform_playout},
        )

    def values(self) -> npt.NDArray[np.float64]:
        """Return the value of each first move for the first player under best play: 1, 1/2 or 0."""
        return kernels.root_values(self.game.state)
