"""What an executor is: it carries out tasks that can be pickled and called, and knows nothing of what they do."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import ClassVar

from experiments.engine.tasks import Task
from numerics.families import Declared, Family


class Executor(Declared):
    """Carries out tasks. A task stores its own result, so that nothing large travels."""

    alone: ClassVar[bool] = True  # whether no other process works in the run's folder at the same time
    ahead: ClassVar[int] = 1  # how many runs of a sweep have their tasks in flight at once

    @property
    def parts(self) -> int:
        """Into how many parts the tasks are cut, of which one is done here."""
        return 1

    def ready(self) -> None:
        """Refuse, before any work, what could not carry out a task."""

    def share(self, tasks: Sequence[Task]) -> Sequence[Task]:
        """Return those of a stage's tasks that are done here; others do the rest."""
        return tasks

    def begin(self, tasks: Sequence[Task]) -> None:
        """Start on tasks for which `run` will be called later, if that can be done."""

    def run(self, tasks: Sequence[Task]) -> Iterator[None]:
        """Carry out the tasks in any order, and yield as each ends; a failure of one ends all."""
        raise NotImplementedError


EXECUTORS: Family[Executor] = Family("executor", Executor, "threads workers=2")


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
