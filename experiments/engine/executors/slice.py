"""One part of a run's tasks, for a job array (SLURM, PBS) or a shell loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from experiments.engine.executors.threads import in_threads
from experiments.engine.tasks import Executor, Task, cores
from numerics.parameters import parameter


class Slice(Executor, name="slice"):
    """Every `of`-th task, in threads of this process; other processes do the other parts in the same folder.

    Parts may run in any order and do not communicate. A task's file is renamed to its final name when it is complete.
    """

    alone: ClassVar[bool] = False

    part: int = parameter(low=1, help="number of this part, from 1 to `of`")
    of: int = parameter(low=1, help="number of parts")
    workers: int | None = parameter(None, low=1, help="number of threads; null: one per core")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.part > self.of:
            raise ValueError(f"part must be at most of={self.of}; got {self.part}")

    def share(self, tasks: Sequence[Task]) -> Sequence[Task]:  # noqa: D102
        return tasks[self.part - 1 :: self.of]

    def run(self, tasks: Sequence[Task]) -> Iterator[None]:  # noqa: D102
        return in_threads(tasks, self.workers or cores())
