"""What workers of a search share out, and workers that are processes, for positions that need Python's lock."""

from __future__ import annotations

import functools
import multiprocessing
import pickle
import random
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from mcts.result import SearchResult
from mcts.tree_search import Search
from numerics import checks
from numerics.places import failure
from numerics.positions import after_move, facts_of, name_of
from numerics.systems import missing_semaphores

MOST_WORKERS = 1_024
_PLIES = 8  # in which a position is compared with its copy
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
    """Refuse a position that cannot be sent to another process, or that arrives there as another one."""
    try:
        sent = pickle.loads(pickle.dumps(board))
    except Exception as error:
        raise ValueError(
            f"workers must be 1 for a position that cannot be pickled; got {name_of(board)}: {failure(error)}"
        ) from None
    draws = random.Random(0)
    for _ in range(_PLIES):
        facts = facts_of(board)
        try:
            is_same = bool(facts == facts_of(sent))
        except Exception:
            is_same = False
        if not is_same:
            raise ValueError(
                f"workers must be 1 for a position that pickling changes; got {name_of(board)}, whose copy has another "
                "result, player or moves"
            )
        if not facts[2]:
            break
        move = draws.choice(facts[2])
        board, sent = after_move(board, move)[0], after_move(sent, move)[0]


def run_elsewhere(task: Callable[[Any], Any], asked: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Run a task in processes, one for each entry, whose first part is the position."""
    if why := missing_semaphores():
        raise ValueError(f"workers must be 1, because {why}; got {len(asked)}")
    _must_be_guarded(len(asked))
    pool = _pool(len(asked))
    try:
        return list(pool.map(task, asked))
    except BrokenProcessPool:
        _pool.cache_clear()
        raise ValueError(
            f"workers must be 1 for a class that other processes cannot import; got {name_of(asked[0][0])}"
        ) from None
    except BaseException:
        _pool.cache_clear()  # others would go on, and the next search would wait for them
        processes = [*pool._processes.values()]
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        raise


def _must_be_guarded(workers: int) -> None:
    """Refuse a script that each process would run from its first line on, instead of importing it."""
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    if file is None or str(getattr(main.__spec__, "name", "")).endswith("__main__"):
        return
    try:
        is_guarded = "__name__" in Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return
    if not is_guarded:
        raise ValueError(
            f'workers must be 1 in a script without `if __name__ == "__main__":`; got {workers} in {Path(file).name}'
        )


def search_once(asked: tuple[Any, Any, Any, Budget]) -> SearchResult:
    """Search for a budget; `asked` has board, policy, options of `Search`, and the budget."""
    board, policy, options, budget = asked
    search = Search(board, policy, **options)
    search.spend(*budget)
    return search.result(copied=False)


@functools.lru_cache(maxsize=1)
def _pool(workers: int) -> ProcessPoolExecutor:
    """Return processes that wait for searches until this one ends."""
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _leave_interrupts)


def _leave_interrupts() -> None:
    """Leave Ctrl-C, which a terminal sends to all processes, to the one that waits for the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
