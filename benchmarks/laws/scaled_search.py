"""UCT whose constant is a multiple of the standard deviation of all values of the tree ("global std").

Schmoecker, Schnell and Dockhorn, arXiv 2510.21275, recommend 2 sigma, sigma the standard deviation of the values of all
state-action pairs of the search tree. Here sigma is that of the means of all visited nodes below the root, each for the
side that moved, and is taken again whenever the tree has grown by a quarter; 1/2, that of a fair coin, before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bandits import UCB
from mcts.tree_search import Search

_COIN = 0.5
_FIRST, _GROWTH = 16, 1.25


class ScaledSearch(Search):
    """A search by UCB1 with c = factor x sigma.

    Parameters
    ----------
    board : object with a ``game``
    factor : float
        At least 0; 2 in the paper.
    seed : int

    Examples
    --------
    >>> from mcts.games.hex import Hex
    >>> search = ScaledSearch(Hex(3), 2.0, seed=0)
    >>> search.run(1_000)
    >>> 0.2 < search.sigma < 0.6
    True
    """

    def __init__(self, board: Any, factor: float, seed: int = 0):
        super().__init__(board, UCB(c=factor * _COIN), seed=seed)
        self._factor, self._done, self.sigma = factor, 0, _COIN

    def run(self, simulations: int) -> None:
        """Run some more simulations, and take sigma again on the way."""
        until = self._done + simulations
        while self._done < until:
            next_look = _FIRST
            while next_look <= self._done:
                next_look = int(next_look * _GROWTH)
            step = min(next_look, until) - self._done
            super().run(step)
            self._done += step
            if self._done == next_look:
                self._rescale()

    def _rescale(self) -> None:
        tree = self.result(copied=False).tree
        self.sigma = float(tree.values[1:][tree.visits[1:] > 0.0].std())
        self._params[0] = self._factor * self.sigma
        kept = np.full_like(self._scratch.bonuses, np.nan)  # bonuses that were kept belong to the last constant
        kept[:1] = 1.0
        self._scratch = self._scratch._replace(bonuses=kept)
