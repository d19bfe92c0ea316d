"""Worker processes on this machine, started by spawn."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing.synchronize import Lock

from experiments.engine.executors.threads import in_threads
from experiments.engine.tasks import Executor, Task, cores
from numerics.exits import name_crashes
from numerics.kernels.compiling import compiling
from numerics.parameters import parameter
from numerics.systems import missing_semaphores

_MOST = 61  # processes for which Windows can wait at once
_STOPS = (signal.SIGINT, signal.SIGTERM)  # what a terminal or a cluster sends to a command and all its workers


class Processes(Executor, name="processes"):
    """Several tasks at once in processes on this machine."""

    workers: int | None = parameter(None, low=1, help="number of processes; null: one per core")

    def run(self, tasks: Sequence[Task]) -> Iterator[None]:  # noqa: D102
        workers = min(self.workers or cores(), len(tasks), _MOST if sys.platform == "win32" else len(tasks))
        if workers < 2:
            yield from in_threads(tasks, 1)
            return
        if why := missing_semaphores():
            raise ValueError(f"executor must be threads or serial, because {why}; got processes")
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(workers, context, initializer=_begin_worker, initargs=(context.Lock(),))
        try:
            with _without_interrupts():  # which workers inherit: Ctrl-C and SIGTERM are for this process alone
                futures = [pool.submit(task) for task in tasks]
            for done in as_completed(futures):
                done.result()
                yield
        except BaseException:
            for worker in multiprocessing.active_children():
                worker.kill()  # in the midst of its task, which the next start of the run does again
            raise
        finally:
            pool.shutdown(cancel_futures=True)


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM until the block ends; processes that start in the block never receive them."""
    if sys.platform == "win32":  # where `_begin_worker` has to be enough
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_worker(speaker: Lock) -> None:
    """Let a worker ignore Ctrl-C and SIGTERM, end with its parent, and report what it compiles if no other does."""
    for stop in _STOPS:
        signal.signal(stop, signal.SIG_IGN)
    name_crashes()
    threading.Thread(target=_end_with_parent, daemon=True).start()

    def say(sentence: str) -> None:
        if speaker.acquire(block=False):  # the workers compile the same
            print(sentence, file=sys.stderr, flush=True)

    compiling.say = say


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
