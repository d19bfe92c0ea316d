"""Searches of positions of an ordinary class in processes, since one process runs Python in one thread at a time."""

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
from numerics.places import failure
from numerics.positions import name_of

Budget = tuple[int | None, float | None, float | None]  # simulations, seconds and seconds of a processor


def must_be_sent(board: Any) -> None:
    """Refuse a position that cannot be sent to another process."""
    try:
        pickle.loads(pickle.dumps(board))
    except Exception as error:
        raise ValueError(
            f"workers must be 1 for a position that cannot be pickled, as {name_of(board)}; {failure(error)}"
        ) from None


def search_elsewhere(asked: Sequence[tuple[Any, Any, Any, Budget]]) -> list[SearchResult]:
    """Search a position in as many processes as there are entries: board, policy, options of `Search`, and budget."""
    return run_elsewhere(_search, asked)


def run_elsewhere(task: Callable[[Any], Any], asked: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Run a task in processes, one for each entry, whose first part is the position."""
    try:
        return list(_pool(len(asked)).map(task, asked))
    except BrokenProcessPool:
        _pool.cache_clear()
        raise ValueError(
            f"workers must be 1 for a class that another process cannot import from its module; got "
            f"{name_of(asked[0][0])}"
        ) from None


@functools.lru_cache(maxsize=1)
def _pool(workers: int) -> ProcessPoolExecutor:
    """Return processes that wait for searches until this one ends."""
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"))


def _search(asked: tuple[Any, Any, Any, Budget]) -> SearchResult:
    board, policy, options, budget = asked
    search = Search(board, policy, **options)
    search.spend(*budget)
    return search.result(copied=False)
