"""What workers of a search share out, and workers that are processes, for positions that need Python's lock."""

from __future__ import annotations

import functools
import multiprocessing
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from mcts.result import SearchResult
from mcts.tree_search import Search
from numerics import checks
from numerics.places import failure
from numerics.positions import name_of
from numerics.systems import missing_semaphores

MOST_WORKERS = 1_024
Budget = tuple[int | None, float | None, float | None]  # simulations, seconds and seconds of a processor


def check_workers(workers: int, simulations: int | None) -> int:
    """Return the number of workers; raise ValueError for less than one, or more than simulations."""
    workers = checks.check_whole("workers", workers, 1, MOST_WORKERS)
    if simulations is not None and simulations < workers:
        raise ValueError(f"workers must be at most simulations, {simulations}; got {workers}")
    return workers


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


def must_be_sent(board: Any) -> None:
    """Refuse a position that cannot be sent to another process."""
    try:
        pickle.loads(pickle.dumps(board))
    except Exception as error:
        raise ValueError(
            f"workers must be 1 for a position that cannot be pickled; got {name_of(board)}: {failure(error)}"
        ) from None


def run_elsewhere(task: Callable[[Any], Any], asked: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Run a task in processes, one for each entry, whose first part is the position."""
    if why := missing_semaphores():
        raise ValueError(f"workers must be 1, because {why}; got {len(asked)}")
    try:
        return list(_pool(len(asked)).map(task, asked))
    except BrokenProcessPool:
        _pool.cache_clear()
        raise ValueError(
            f"workers must be 1 for a class that other processes cannot import; got {name_of(asked[0][0])}"
        ) from None


def search_once(asked: tuple[Any, Any, Any, Budget]) -> SearchResult:
    """Search for a budget; `asked` has board, policy, options of `Search`, and the budget."""
    board, policy, options, budget = asked
    search = Search(board, policy, **options)
    search.spend(*budget)
    return search.result(copied=False)


@functools.lru_cache(maxsize=1)
def _pool(workers: int) -> ProcessPoolExecutor:
    """Return processes that wait for searches until this one ends."""
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"))
