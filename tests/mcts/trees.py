"""Trees that tests grow and compare."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from bandits import UCB
from mcts import Search
from mcts.result import SearchResult
from numerics.games import Exact
from tests.internals import Nodes


def same(one: SearchResult, other: SearchResult) -> bool:
    """Whether two trees are equal to the last bit."""
    return all(np.array_equal(a, b) for a, b in zip(one.tree, other.tree, strict=True))


def grown(board: Any, simulations: int, **options: Any) -> Search:
    running = Search(board, simulations=simulations, **options)
    running.run(simulations)
    return running


def result_of(visits: list[float], values: list[float], outcomes: list[int], **more: Any) -> SearchResult:
    """Return the result of a search that has a root, which is entry 0, and its children."""
    count = len(visits)
    tree = Nodes(
        visits=np.array(visits),
        values=np.array(values),
        widths=np.ones(count),
        variances=np.empty(0),
        priors=np.empty(0),
        child=np.array([1] + [-1] * (count - 1), dtype=np.int32),
        children=np.array([count - 1] + [-1] * (count - 1), dtype=np.int16),
        move=np.arange(-1, count - 1, dtype=np.int16),
        outcome=np.array(outcomes, dtype=np.int8),
    )
    return SearchResult(UCB(c=1.0), tree, 60, depth=1, seconds=0.0, full=False, horizon=60.0, **more)


def check_exact_search(hook: Exact, state: np.ndarray, room: int, truth: int, draw: random.Random) -> None:
    """Ask an exact search whether a position scores at least so much, in parts of any length: bounds hold the truth."""
    narrow: Any = hook.narrow
    memory, before = hook.memory(state, draw.choice([1, 100, 10_000])), state.copy()
    for least in draw.sample(range(1 - room, room + 1), min(2 * room, 6)):
        bounds, calls = np.array([-room, room]), 0
        while bounds[0] < least <= bounds[1]:
            part = draw.choice([1, 3, 50, 10_000])
            assert 0 <= narrow(state, bounds, least, part, memory) <= part
            calls += 1
            assert calls < 100_000
        assert bounds[0] <= truth <= bounds[1]
    np.testing.assert_array_equal(state, before)
