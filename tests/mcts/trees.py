"""Trees that tests grow and compare."""

from __future__ import annotations

from typing import Any

import numpy as np

from mcts import Search
from mcts.result import SearchResult


def same(one: SearchResult, other: SearchResult) -> bool:
    """Whether two trees are equal to the last bit."""
    return all(np.array_equal(a, b) for a, b in zip(one.tree, other.tree, strict=True))


def grown(board: Any, simulations: int, **options: Any) -> Search:
    running = Search(board, simulations=simulations, **options)
    running.run(simulations)
    return running
