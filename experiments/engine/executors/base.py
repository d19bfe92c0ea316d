"""What an executor is: it carries out tasks that can be pickled and called, and knows nothing of what they do."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from experiments.engine.tasks import Task
from numerics.parameters import Declared


class Executor(Declared):
    """Carries out tasks. A task stores its own result, so that nothing large travels."""

    def run(self, tasks: Sequence[Task]) -> Iterator[None]:
        """Carry out the tasks in any order, and yield as each ends; a failure of one ends all."""
        raise NotImplementedError


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
