"""One part of a run's tasks, for the jobs of an array: SLURM, PBS, or a loop of the shell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from experiments.engine.executors.threads import in_threads
from experiments.engine.tasks import Executor, Task, cores
from numerics.parameters import parameter


class Slice(Executor, name="slice"):
    """Every `of`-th task, in threads of this process; other processes do the other parts in the same folder.

    Parts need no order and know nothing of each other: a task's file is renamed into its place when it is whole.
    """

    alone: ClassVar[bool] = False

    part: int = parameter(low=1, help="which part this is, from 1 to `of`")
    of: int = parameter(low=1, help="how many parts there are")
    workers: int | None = parameter(None, low=1, help="threads; null: one a core")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.part > self.of:
            raise ValueError(f"part must be at most of={self.of}; got {self.part}")

    def share(self, tasks: Sequence[Task]) -> Sequence[Task]:  # noqa: D102
        return tasks[self.part - 1 :: self.of]

    def run(self, tasks: Sequence[Task]) -> Iterator[None]:  # noqa: D102
        return in_threads(tasks, self.workers or cores())
