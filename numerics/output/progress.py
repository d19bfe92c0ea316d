"""Progress of long work: a bar on a terminal; elsewhere lines, a first after a while, then every minute, and a last.

Both count finished parts, whatever process works on them, and estimate the remaining time from these.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from array import array
from collections.abc import Callable, Iterator
from typing import Any

from numerics.kernels.compiling import PHASE

_FIRST, _EVERY, _LOOK = 5.0, 60.0, 0.25  # seconds until the first line, between lines, and between looks at the clock
_SILENT = 1.5  # seconds after which work that is no part of a count says what it is: with Python's start, 2


class Count:
    """The progress of some work.

    Attributes
    ----------
    total : int
        The number of units, such as games.
    unit : str
        The name of the units, in the plural.
    parts : int
        The number of parts, of about equal size, into which they are divided; only finished parts count.
    """

    def __init__(self, total: int, unit: str, parts: int, clock: Callable[[], float] = time.monotonic):
        self.total: int = total
        self.unit: str = unit
        self.parts: int = parts
        self._clock, self._began = clock, clock()
        self._ends = array("d")  # the time when each part ended
        self.words: str = ""  # about the results so far

    def advance(self, words: str = "") -> None:
        """Count a finished part, and keep a few words on the results so far."""
        self._ends.append(self.seconds)
        self.words = words

    @property
    def done(self) -> int:
        """How many parts have ended."""
        return len(self._ends)

    @property
    def is_sure(self) -> bool:
        """Whether enough parts have ended to estimate the remaining time."""
        return self.done >= max(1, min(4 * (os.cpu_count() or 1), self.parts // 5))

    @property
    def seconds(self) -> float:
        """Seconds since the work began."""
        return self._clock() - self._began

    def text(self) -> str:
        """Return how much is done, how fast, and about how long the rest takes.

        Examples
        --------
        >>> time = iter([0.0, 10.0, 20.0, 20.0])
        >>> count = Count(1_000, "games", 4, clock=lambda: next(time))
        >>> count.advance()
        >>> count.text()
        '250 of 1,000 games in 20 s, 12 games a second, about 60 s left'
        """
        passed = self.seconds
        if not self.done:
            return f"0 of {self.total:,} {self.unit} in {duration(passed)}"
        # The later half gives a better speed: the first parts wait for processes that start and compile.
        before = self.done // 2 if self.is_sure else 0
        speed = (self.done - before) / max(passed - (self._ends[before - 1] if before else 0.0), 1e-3)
        done, each = self.total * self.done // self.parts, self.total / self.parts
        left = (self.parts - self.done) / speed
        return (
            f"{done:,} of {self.total:,} {self.unit} in {duration(passed)}, {_rate(each * speed, self.unit)}, "
            f"about {duration(left)} left"
        )

    def begun(self) -> str:
        """Return what the work is, and what part of it has ended, without an estimate."""
        return f"playing {self.total:,} {self.unit}, {100 * self.done // self.parts} % so far"

    def summary(self) -> str:
        """Return how long everything took."""
        return f"{self.total:,} {self.unit} in {duration(self.seconds)}"


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


def _rate(per_second: float, unit: str) -> str:
    amount, each = per_second, "a second"
    if amount < 1.0:
        amount, each = 60 * per_second, "a minute"
    if amount < 1.0:
        amount, each = 3600 * per_second, "an hour"
    return f"{amount:{',.0f' if amount >= 9.95 else '.1f'}} {unit} {each}"


@contextlib.contextmanager
def progress(total: int, unit: str, parts: int | None = None, *, brief: bool = False) -> Iterator[Callable[..., None]]:
    """Show the progress of work on standard error.

    Parameters
    ----------
    total : int
        The number of units, such as games.
    unit : str
        The name of the units, in the plural.
    parts : int, optional
        The number of parts, of about equal size, into which they are divided; by default the number of units.
    brief : bool, default False
        Off a terminal, print only the lines of each minute.

    Yields
    ------
    callable
        Call it when a part has ended, optionally with a few words on the results so far to show.
    """
    count = Count(total, unit, total if parts is None else parts)
    with _bar(count) if sys.stderr.isatty() else _lines(count, brief=brief):
        yield count.advance


class Lines:
    """The lines of a count off a terminal, each printed when its time has come.

    Attributes
    ----------
    count : Count
        The progress.
    brief : bool
        Whether to print only the lines of each minute.
    """

    def __init__(self, count: Count, *, brief: bool):
        self.count: Count = count
        self.brief: bool = brief
        self._has_begun = self._has_estimate = False
        self._due = 0.0  # seconds after the start

    def look(self) -> None:
        """Print what is due now."""
        passed = self.count.seconds
        if not (self.brief or self._has_begun) and passed >= _SILENT:
            _print(f"{PHASE}{self.count.begun()}")
            self._has_begun = True
        first = _EVERY if self.brief or not self.count.is_sure else _FIRST
        if passed >= max(self._due, first):
            _print("; ".join(filter(None, [self.count.text(), self.count.words])))
            self._has_estimate = True
            self._due = passed + _EVERY

    def end(self) -> None:
        """Print how long everything took, after work that was long enough for an estimate."""
        if self._has_estimate and not self.brief:
            _print(self.count.summary())


@contextlib.contextmanager
def _lines(count: Count, *, brief: bool) -> Iterator[None]:
    """Print the count from time to time, in a separate thread because the work may block this thread."""
    ended, lines = threading.Event(), Lines(count, brief=brief)

    def watch() -> None:
        while not ended.wait(_LOOK):
            lines.look()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    lines.end()


@contextlib.contextmanager
def doing(what: str) -> Iterator[None]:
    """Show what is being done while the block runs: on a terminal at once, elsewhere if it takes long."""
    if not sys.stderr.isatty():
        timer = threading.Timer(_SILENT, _print, [f"{PHASE}{what}"])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield


def _print(line: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # nobody reads it
        print(line, file=sys.stderr, flush=True)


@contextlib.contextmanager
def _bar(count: Count) -> Iterator[None]:
    """Show a count as a bar that disappears when the work has ended."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn
    from rich.progress import Task as Row
    from rich.table import Column
    from rich.text import Text

    class Words(ProgressColumn):
        def render(self, row: Row) -> Text:
            row.completed = count.done
            return Text("\n".join(filter(None, [count.text(), count.words])))

    console: Any = Console(stderr=True, highlight=False, emoji=False)
    columns = BarColumn(30), Words(table_column=Column(no_wrap=True))
    # Leave standard output alone if it is not a terminal.
    with Progress(*columns, console=console, transient=True, redirect_stdout=sys.stdout.isatty()) as bar:
        bar.add_task("", total=count.parts)
        yield
