"""One task after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from experiments.engine.executors.threads import in_threads
from experiments.engine.tasks import Executor, Task


class Serial(Executor, name="serial"):
    """One task after another."""

    def run(self, tasks: Sequence[Task]) -> Iterator[None]:  # noqa: D102
        return in_threads(tasks, 1)
