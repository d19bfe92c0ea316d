"""Progress of long work on standard error: a bar on a terminal; elsewhere lines, the first after five seconds."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from numerics.kernels.compiling import PHASE

if TYPE_CHECKING:
    from rich.progress import Task

_FIRST, _EVERY = 5.0, 60.0  # seconds until the first line, and between lines
_SILENT = 1.5  # seconds after which a single step says what it is


@contextlib.contextmanager
def progress(total: int, unit: str, parts: int | None = None) -> Iterator[Callable[..., None]]:
    """Show the progress of work.

    Parameters
    ----------
    total : int
        The number of units, such as games.
    unit : str
        The name of the units, in the plural.
    parts : int, optional
        The number of equal parts into which they are divided; by default the number of units.

    Yields
    ------
    callable
        Call it when a part has ended, optionally with a few words on the results so far to show.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn
    from rich.table import Column
    from rich.text import Text

    class Words(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(describe(task))

    columns = BarColumn(30), Words(table_column=Column(no_wrap=True))
    # Leave standard output alone if it is not a terminal.
    bar = Progress(
        *columns,
        console=Console(stderr=True, highlight=False, emoji=False),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
        speed_estimate_period=float("inf"),
    )
    number = bar.add_task(unit, total=total, words="")
    each = total / max(total if parts is None else parts, 1)

    def advance(words: str = "") -> None:
        bar.update(number, advance=each, words=words)

    with bar if sys.stderr.isatty() else _lines(bar.tasks[number]):
        yield advance


def describe(task: Task) -> str:
    """Return how much is done, the estimated remaining time, and a note on the results so far."""
    left = task.time_remaining
    rest = f", about {duration(left)} left" if left else ""
    words = f"; {task.fields['words']}" if task.fields["words"] else ""
    done = f"{task.completed:,.0f} of {task.total:,.0f} {task.description}"
    return f"{done} in {duration(task.elapsed or 0.0)}{rest}{words}"


def duration(seconds: float) -> str:
    """Return a time in a fitting unit.

    Examples
    --------
    >>> [duration(one) for one in (0.4, 44, 100, 5000, 40_000, 400_000)]
    ['1 s', '44 s', '2 min', '83 min', '11 h', '4.6 days']
    """
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    minutes = seconds / 60
    if minutes < 90:
        return f"{minutes:.0f} min"
    return f"{minutes / 60:.0f} h" if minutes < 36 * 60 else f"{minutes / 1440:.1f} days"


@contextlib.contextmanager
def _lines(task: Task) -> Iterator[None]:
    """Print the progress from time to time, in a separate thread because the work may block this thread."""
    ended = threading.Event()

    def watch() -> None:
        wait = _FIRST
        while not ended.wait(wait):
            _print(f"{PHASE}{describe(task)}")
            wait = _EVERY

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextlib.contextmanager
def show_doing(what: str) -> Iterator[None]:
    """Show what is being done while the block runs: on a terminal at once, elsewhere if it takes long."""
    if sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status(what):
            yield
        return
    timer = threading.Timer(_SILENT, _print, [f"{PHASE}{what}"])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _print(line: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # nobody reads it
        print(line, file=sys.stderr, flush=True)
