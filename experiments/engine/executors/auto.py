"""Threads, or processes if the first tasks show that the run is long: players in Python share a lock in threads."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from experiments.engine.executors.processes import Processes
from experiments.engine.executors.threads import in_threads
from experiments.engine.tasks import Executor, Task, cores
from numerics.parameters import parameter
from numerics.systems import missing_semaphores

_LONG = 4.0  # seconds of threads, above which processes make up for the time to start them


class Auto(Executor, name="auto"):
    """Several tasks at once: in threads, or in processes if the first tasks show that the run is long."""

    workers: int | None = parameter(None, low=1, help="number of threads or processes; null: one per core")

    def run(self, tasks: Sequence[Task]) -> Iterator[None]:  # noqa: D102
        workers = self.workers or cores()
        first, rest = tasks[:workers], tasks[workers:]
        began = time.perf_counter()
        yield from in_threads(first, workers)
        is_long = (time.perf_counter() - began) * len(rest) > _LONG * workers
        if is_long and workers > 1 and not missing_semaphores():
            yield from Processes(workers=workers).run(rest)
        else:
            yield from in_threads(rest, workers)
