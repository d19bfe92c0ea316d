"""How far long work is: a bar on a terminal; elsewhere a line when it takes long, one a minute, and one at its end.

Both count what has ended, whoever does the work, and guess the time left from it.
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

from numerics.kernels.compiling import compiling

_FIRST, _EVERY, _LOOK = 5.0, 60.0, 0.25  # seconds until the first line, between two, and between two looks at the clock


class Count:
    """How much of some work is done.

    Attributes
    ----------
    total : int
        How many units there are in all, such as games.
    unit : str
        What is counted, in the plural.
    parts : int
        Into how many parts of about one size they are cut; a part counts when it has ended.
    """

    def __init__(self, total: int, unit: str, parts: int, clock: Callable[[], float] = time.monotonic):
        self.total, self.unit, self.parts = total, unit, parts
        self._clock, self._began, self._compiled = clock, clock(), compiling.seconds
        self._ends = array("d")  # when each part ended
        self.words = ""  # on the results so far

    def advance(self, words: str = "") -> None:
        """Note that a part has ended, and a few words on the results so far."""
        self._ends.append(self.working)
        self.words = words

    @property
    def done(self) -> int:
        """How many parts have ended."""
        return len(self._ends)

    @property
    def is_sure(self) -> bool:
        """Whether so many parts have ended that the time left can be told from them."""
        return self.done >= max(1, min(4 * (os.cpu_count() or 1), self.parts // 5))

    @property
    def seconds(self) -> float:
        """How long the work has been going on."""
        return self._clock() - self._began

    @property
    def working(self) -> float:
        """How long without what this process compiled, which is done once and says nothing of the rest."""
        return self.seconds - (compiling.seconds - self._compiled)

    def text(self) -> str:
        """Say how much is done, how fast, and about how long the rest takes.

        Examples
        --------
        >>> time = iter([0.0, 10.0, 20.0, 20.0])
        >>> count = Count(1_000, "games", 4, clock=lambda: next(time))
        >>> count.advance()
        >>> count.text()
        '250 of 1,000 games in 20 s, 12 a second, about 60 s left'
        """
        working, passed = self.working, self.seconds
        if not self.done:
            return f"0 of {self.total:,} {self.unit} in {duration(passed)}"
        # The later half tells the speed better: the first parts wait for what starts, and for compilers elsewhere.
        before = self.done // 2 if self.is_sure else 0
        speed = (self.done - before) / max(working - (self._ends[before - 1] if before else 0.0), 1e-3)
        done, each = self.total * self.done // self.parts, self.total / self.parts
        left = (self.parts - self.done) / speed
        return (
            f"{done:,} of {self.total:,} {self.unit} in {duration(passed)}, {_rate(each * speed)}, "
            f"about {duration(left)} left"
        )

    def summary(self) -> str:
        """Say how long all took."""
        return f"{self.total:,} {self.unit} in {duration(self.seconds)}"


def duration(seconds: float) -> str:
    """Write a time as one says it.

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


def _rate(per_second: float) -> str:
    amount, each = per_second, "a second"
    if amount < 1.0:
        amount, each = 60 * per_second, "a minute"
    if amount < 1.0:
        amount, each = 3600 * per_second, "an hour"
    return f"{amount:,.0f} {each}" if amount >= 9.95 else f"{amount:.1f} {each}"


@contextlib.contextmanager
def progress(total: int, unit: str, parts: int | None = None, *, brief: bool = False) -> Iterator[Callable[..., None]]:
    """Show how far work is, on standard error.

    Parameters
    ----------
    total : int
        How many units there are, such as games.
    unit : str
        What they are, in the plural.
    parts : int, optional
        Into how many parts of about one size they are cut; as many as units when left out.
    brief : bool, default False
        Where it is no terminal, print nothing but the line of each minute.

    Yields
    ------
    callable
        To be called when a part has ended; a few words on the results so far, if given, are shown too.
    """
    count = Count(total, unit, total if parts is None else parts)
    with _bar(count) if sys.stderr.isatty() else _lines(count, brief=brief):
        yield count.advance


@contextlib.contextmanager
def _lines(count: Count, *, brief: bool) -> Iterator[None]:
    """Print a line of a count now and then, from a thread of its own: the work may hold this one for long."""
    ended, printed = threading.Event(), []

    def watch() -> None:
        due = 0.0
        while not ended.wait(_LOOK):
            passed = count.seconds
            first = _EVERY if brief or not count.is_sure else _FIRST
            if passed >= due and passed >= first:
                _print("; ".join(filter(None, [count.text(), count.words])))
                printed.append(passed)
                due = passed + _EVERY

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    if printed and not brief:
        _print(count.summary())


@contextlib.contextmanager
def doing(what: str) -> Iterator[None]:
    """Say on a terminal, while the block runs, what is done."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield


def _print(line: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # nobody reads it
        print(line, file=sys.stderr, flush=True)


@contextlib.contextmanager
def _bar(count: Count) -> Iterator[None]:
    """Show a count as a bar that goes when the work has ended."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn
    from rich.progress import Task as Row
    from rich.table import Column
    from rich.text import Text

    class Said(ProgressColumn):
        def render(self, row: Row) -> Text:
            row.completed = count.done
            far = "compiling kernels, once" if compiling.now else count.text()
            return Text("\n".join(filter(None, [far, count.words])))

    console: Any = Console(stderr=True, highlight=False, emoji=False)
    columns = BarColumn(30), Said(table_column=Column(no_wrap=True))
    # A standard output that is no terminal stays one.
    with Progress(*columns, console=console, transient=True, redirect_stdout=sys.stdout.isatty()) as bar:
        bar.add_task("", total=count.parts)
        yield
