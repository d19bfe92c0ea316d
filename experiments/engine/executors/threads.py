"""Threads of this process; the kernels run outside the interpreter's lock."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from experiments.engine.tasks import Executor, Task, cores
from numerics.parameters import parameter

_TURN = 0.001  # seconds that a thread may keep the interpreter's lock from one whose kernel has ended; usually 0.005


class Threads(Executor, name="threads"):
    """Several tasks at once in threads of this process; the kernels run outside the interpreter's lock."""

    workers: int | None = parameter(None, low=1, help="number of threads; null: one per core")

    def run(self, tasks: Sequence[Task]) -> Iterator[None]:  # noqa: D102
        return in_threads(tasks, self.workers or cores())


def in_threads(tasks: Sequence[Task], workers: int) -> Iterator[None]:
    """Carry out tasks in threads, even in a single one: Ctrl-C reaches a main thread that waits, not a kernel."""
    pool, turn = ThreadPoolExecutor(workers), sys.getswitchinterval()
    sys.setswitchinterval(_TURN)
    try:
        for done in as_completed([pool.submit(task) for task in tasks]):
            done.result()
            yield
    finally:
        sys.setswitchinterval(turn)
        pool.shutdown(wait=False, cancel_futures=True)
