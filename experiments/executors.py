"""Who runs the shards of a plan. An executor takes tasks that can be pickled and called; it knows nothing of bandits.

A new kind is one function here with its schema: `EXECUTORS[kind](tasks, workers)` yields once for every finished task,
in any order. A task stores its own result, so that nothing large travels.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing import resource_tracker
from typing import Any

from numerics import checks

Task = Callable[[], Any]
Executor = Callable[[Sequence[Task], int], Iterator[None]]

_PATIENCE = 5.0  # seconds that workers have to end after the last task
_LOOK = 0.2  # seconds between two looks of a worker whether its parent is still there


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
    from joblib.externals.loky import ProcessPoolExecutor

    others = set(multiprocessing.active_children())
    with _interrupts_held(), _without_reminder():
        pool = ProcessPoolExecutor(min(workers, len(tasks)), initializer=_begin_worker, initargs=(os.getpid(),))
    try:
        with _interrupts_held():
            futures = [pool.submit(task) for task in tasks]
        for finished in as_completed(futures):
            finished.result()
            yield
    except BaseException:
        _kill_all_but(others)
        raise
    finally:
        ending = threading.Thread(target=pool.shutdown, daemon=True)  # in a thread: it may wait for a full pipe
        ending.start()
        ending.join(_PATIENCE)


def _kill_all_but(others: Collection[multiprocessing.process.BaseProcess]) -> None:
    """Kill our workers, in the midst of their tasks; loky's own way is not safe before it has handed out all tasks."""
    for process in multiprocessing.active_children():
        if process not in others and process.pid is not None:
            with contextlib.suppress(OSError):
                os.kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back until the block ends; what is started in it never hears one, from its first instruction."""
    heard: list[int] = []
    before: Any = None
    if threading.current_thread() is threading.main_thread():  # the mask of one thread leaves the others to hear it
        before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        with _signals_blocked():
            yield
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
        if heard:
            signal.raise_signal(signal.SIGINT)


@contextlib.contextmanager
def _signals_blocked() -> Iterator[None]:
    """Block Ctrl-C in this thread, which the processes that it starts inherit."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows: a worker is deaf only from `_begin_worker` on
        yield
        return
    resource_tracker.ensure_running()  # which would let Ctrl-C through again if it were started in the block
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _without_reminder() -> Iterator[None]:
    """Keep the process that tidies up after loky from saying so, which it does when a command ends in the midst."""
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, (before, "ignore:resource_tracker:UserWarning")))
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before


def _begin_worker(parent: int) -> None:
    """Leave Ctrl-C to the parent, and end soon after it, however it ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)


EXECUTORS: dict[Any, Executor] = {"serial": _serial, "threads": _threads, "local": _local}
