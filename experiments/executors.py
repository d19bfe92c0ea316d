"""Who runs the shards of a plan. An executor takes tasks that can be pickled and called; it knows nothing of bandits.

A new kind is one function here with its schema: `EXECUTORS[kind](tasks, workers)` yields once for every finished task,
in any order. A task stores its own result, so that nothing large travels.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from numerics import checks

Task = Callable[[], Any]
Executor = Callable[[Sequence[Task], int], Iterator[None]]


def build(values: Mapping[str, Any]) -> Callable[[Sequence[Task]], Iterator[None]]:
    """Return the executor of a configuration node: a function that runs tasks and yields once a finished one."""
    kind, workers = values.get("kind"), values.get("workers")
    if kind not in EXECUTORS:
        raise ValueError(f"executor.kind must be one of {', '.join(EXECUTORS)}; got {kind!r}")
    count = cores() if workers is None else checks.whole("executor.workers", workers, 1)
    return lambda tasks: EXECUTORS[kind](tasks, count)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _serial(tasks: Sequence[Task], workers: int) -> Iterator[None]:
    return _threads(tasks, 1)


def _threads(tasks: Sequence[Task], workers: int) -> Iterator[None]:
    """Run in threads, even a single one: a main thread that waits can be interrupted, one inside a kernel cannot."""
    pool = ThreadPoolExecutor(workers)
    try:
        for finished in as_completed([pool.submit(task) for task in tasks]):
            finished.result()
            yield
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _local(tasks: Sequence[Task], workers: int) -> Iterator[None]:
    """Run in processes, started afresh (loky); a single task is not worth a process."""
    if len(tasks) < 2 or workers == 1:
        yield from _threads(tasks, 1)
        return
    from joblib import Parallel, delayed

    pool = Parallel(
        n_jobs=min(workers, len(tasks)), backend="loky", return_as="generator_unordered", batch_size=1, max_nbytes=None
    )
    for _ in pool(delayed(_in_worker)(task, os.getpid()) for task in tasks):
        yield


def _in_worker(task: Task, parent: int) -> None:
    """Run a task in a worker that leaves Ctrl-C to its parent and begins nothing once the parent has gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.getppid() != parent:
        os._exit(1)
    task()


EXECUTORS: dict[Any, Executor] = {"serial": _serial, "threads": _threads, "local": _local}
