"""Threads of this process; the kernels run outside the interpreter's lock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from experiments.engine.tasks import Executor, Task, cores
from numerics.parameters import parameter


class Threads(Executor, name="threads"):
    """Several tasks at once in threads of this process; the kernels run outside the interpreter's lock."""

    workers: int | None = parameter(None, low=1, help="threads; null: one a core")

    def run(self, tasks: Sequence[Task]) -> Iterator[None]:  # noqa: D102
        return in_threads(tasks, self.workers or cores())


def in_threads(tasks: Sequence[Task], workers: int) -> Iterator[None]:
    """Carry out tasks in threads, even in a single one: Ctrl-C reaches a main thread that waits, not a kernel."""
    pool = ThreadPoolExecutor(workers)
    try:
        for done in as_completed([pool.submit(task) for task in tasks]):
            done.result()
            yield
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
