"""Root-parallel search: independent searches of one position in threads, whose results at the root are added.

Kernels run outside the interpreter's lock, so that each worker has a core. Which random numbers a worker draws depends
only on the seed and on its number: the result is the same however the threads are scheduled.

Chaslot, Winands and van den Herik, "Parallel Monte-Carlo tree search", CG 2008, section 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mcts.result import SearchResult
from mcts.streams import STREAMS
from numerics import checks
from numerics.games import UNDECIDED, Playable
from numerics.random import Purpose

MOST_WORKERS = 1_024


class Worker(Protocol):
    """One of the searches: a `mcts.Search`."""

    @property
    def proven(self) -> float | None:
        """The proven value of the position, if there is one."""
        ...

    def spend(self, simulations: int | None, seconds: float | None) -> None:
        """Run simulations, or for a time, or until the first of both."""
        ...

    def advance(self, board: Playable, moves: Sequence[int]) -> bool:
        """Go on from a later position of the same game; return whether the tree knew it."""
        ...

    def result(self) -> SearchResult:
        """Return what is known now."""
        ...


class ParallelSearch:
    """Several searches that go on together; used like one. Make it with `mcts.search.begin`.

    Parameters
    ----------
    searches : sequence of Worker
        Searches of the same position with the same options and streams of their own.
    """

    def __init__(self, searches: Sequence[Worker]):
        self.searches = list(searches)

    def spend(self, simulations: int | None, seconds: float | None) -> None:
        """Run simulations, shared out evenly, or for a time, or until the first of both."""
        workers = len(self.searches)
        with ThreadPoolExecutor(workers) as pool:
            shares = shares_of(simulations, workers)
            done = [pool.submit(one.spend, share, seconds) for one, share in zip(self.searches, shares, strict=True)]
        for one in done:
            one.result()

    def advance(self, board: Playable, moves: Sequence[int]) -> bool:
        """Go on from a later position of the same game; return whether every search knew it."""
        known = [one.advance(board, moves) for one in self.searches]
        return all(known)

    @property
    def proven(self) -> float | None:
        """The proven value of the position, if one of the searches has proven it."""
        return next((one.proven for one in self.searches if one.proven is not None), None)

    def choose(self, by: str = "visits") -> int:
        """Return the move to play; see `SearchResult.choose`."""
        return self.result().choose(by)

    def result(self) -> SearchResult:
        """Return the sums at the root and its moves; below them the tree is that of the first search."""
        return added([one.result() for one in self.searches])


def added(results: Sequence[SearchResult]) -> SearchResult:
    """Return the first result with the visits and values of all at the root and its children."""
    first = results[0]
    tree = first.tree
    groups = [(0, [0] * len(results))]
    for node in first.children(0):
        same = [one.children(0)[one.tree.move[one.children(0)] == tree.move[node]] for one in results]
        groups.append((int(node), [int(found[0]) if found.size else -1 for found in same]))
    for node, places in groups:
        parts = [(one.tree, place) for one, place in zip(results, places, strict=True) if place >= 0]
        visits = np.array([part.visits[place] for part, place in parts])
        total = visits.sum()
        if total > 0.0:
            means = np.array([part.values[place] for part, place in parts])
            mean = float(np.average(means, weights=visits))
            if tree.variances.size:
                spread = np.array([part.variances[place] for part, place in parts]) + (means - mean) ** 2
                tree.variances[node] = np.average(spread, weights=visits)
            tree.visits[node], tree.values[node], tree.widths[node] = total, mean, 1.0 / np.sqrt(total)
        known = [int(part.outcome[place]) for part, place in parts if part.outcome[place] <= UNDECIDED]
        tree.outcome[node] = min(known, default=tree.outcome[node])  # what is proven, by any of them, before the rest
    return SearchResult(
        policy=first.policy,
        tree=tree,
        simulations=sum(one.simulations for one in results),
        depth=max(one.depth for one in results),
        seconds=max(one.seconds for one in results),
        full=any(one.full for one in results),
        horizon=first.horizon,
        board=first.board,
    )


def check_workers(workers: int, simulations: int | None) -> None:
    """Refuse workers that are none, or more than there are simulations for."""
    checks.whole("workers", workers, 1, MOST_WORKERS)
    if simulations is not None and simulations < workers:
        raise ValueError(f"workers must be at most the simulations, {simulations}; got {workers}")


def shares_of(simulations: int | None, workers: int) -> list[int | None]:
    """Return the simulations of each worker.

    Examples
    --------
    >>> shares_of(11, 3)
    [3, 4, 4]
    """
    if simulations is None:
        return [None] * workers
    return [(simulations + number) // workers for number in range(workers)]


def streams_of_workers(first: npt.NDArray[np.uint64], workers: int) -> list[npt.NDArray[np.uint64]]:
    """Return the streams of each worker, uint64[STREAMS, 4]: the given ones, and others that are derived from them."""
    key = [int(word) for word in first.ravel()]
    others = [np.random.SeedSequence(key, spawn_key=(Purpose.TREE_SEARCH, number)) for number in range(1, workers)]
    words = [np.asarray(one.generate_state(STREAMS * 4, np.uint64), dtype=np.uint64) for one in others]
    return [first, *(own.reshape(-1, 4) for own in words)]
