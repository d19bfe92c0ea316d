"""The work of a run: its tasks, of which those are carried out whose files are not there yet, and then its tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from experiments.engine.console import progress, say
from experiments.engine.store import RunFolder


class Stored(Protocol):
    """A task that leaves a file when it is done."""

    @property
    def path(self) -> Path:
        """Where the file is then."""

    def __call__(self) -> None:
        """Do it."""


def carry_out(tasks: Sequence[Stored], execute: Callable[[Sequence[Stored]], Iterator[None]], what: str) -> None:
    """Run the tasks whose file is not there yet, and show how far they are."""
    missing = [task for task in tasks if not task.path.exists()]
    if len(missing) < len(tasks):
        say(f"{len(tasks) - len(missing)} of {len(tasks)} shards are there already")
    with progress(len(missing), what) as advance:
        for _ in execute(missing):
            advance()


def complete(
    store: RunFolder,
    tasks: Sequence[Stored],
    execute: Callable[[Sequence[Stored]], Iterator[None]],
    what: str,
    leave: Callable[[], Mapping[str, Any]],
) -> None:
    """Bring a run to its end: carry out what is missing, leave the tables and figures, and finish the folder.

    Nothing is done in a folder that is finished.

    Parameters
    ----------
    store : RunFolder
        The open folder of the run.
    tasks : sequence of Stored
        All of them; those whose files are there are not carried out again.
    execute : callable
        What `experiments.engine.executors.build` returns.
    what : str
        What the tasks are made of, such as "games", beside the bar of progress.
    leave : callable
        Makes tables and figures of the tasks' files; returns what the manifest says of the run, in which `timings`
        holds seconds by name. Those that it takes itself are added.
    """
    if store.manifest is not None:
        store.drop_shards()
        return
    carry_out(tasks, execute, what)
    start = time.perf_counter()
    facts = leave()
    seconds = {**facts["timings"], "tables_and_figures": round(time.perf_counter() - start, 3)}
    store.finish({**facts, "timings": seconds})
