"""Tasks, each of which writes one file, and executors, which carry them out."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from numerics.families import Declared, Family

_TASKS = 100  # of a run, about: each pays a few milliseconds for its file


@dataclasses.dataclass(frozen=True)
class Task:
    """Work that writes one file and can be pickled; it is done when the file exists.

    `function(path, *arguments)` writes the file whole, with the writers of `numerics.output`. `size` is how many of the
    experiment's units it is, such as games; the tasks of a run are about equally long.
    """

    path: Path
    function: Callable[..., None]
    arguments: tuple[Any, ...] = ()
    size: int = 1

    def __call__(self) -> None:
        """Do the work."""
        self.function(self.path, *self.arguments)


def parts_of(count: int, size: int = 0, among: int = 1) -> list[range]:
    """Return the numbers 0 ... count - 1 in ranges, of each of which a task is made; the last one may be shorter.

    The ranges have `size` numbers. Without it, `among` times all numbers make about a hundred tasks.

    Examples
    --------
    >>> parts_of(5, 2)
    [range(0, 2), range(2, 4), range(4, 5)]
    """
    size = size or -(-count * among // _TASKS) or 1
    return [range(first, min(first + size, count)) for first in range(0, count, size)]


class Executor(Declared):
    """Carries out tasks. A task stores its result, so that nothing large travels between processes."""

    alone: ClassVar[bool] = True  # whether no other process works in the run's folder at the same time

    def ready(self) -> None:
        """Refuse, before any work, an environment that could not carry out a task."""

    def share(self, tasks: Sequence[Task]) -> Sequence[Task]:
        """Return those of a stage's tasks that are done here; others do the rest."""
        return tasks

    def run(self, tasks: Sequence[Task]) -> Iterator[None]:
        """Carry out the tasks in any order, and yield as each ends; a failure of one ends all."""
        raise NotImplementedError


EXECUTORS: Family[Executor] = Family("executor", Executor, "threads workers=2")


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
