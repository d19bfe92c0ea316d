"""Work in threads that can be paused and stopped: begun once under an id, watched by clients, stopped without any.

What a task used, such as a player and its tree, goes when the task ends: of an ended work only its outcome is kept.
Between two slices of its work, of some 15 ms, a thread checks whether it is still wanted. One that can rest does so
while it is paused or nobody watches. It keeps its state, takes no processor time, and goes on when the page is loaded
again. Threads are daemons, so that the program ends at once whatever they do.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from treebandit.page.answers import Refused

AT_ONCE = 8  # works that run; each may take the memory of one search
KEPT = 64  # ended works, so that a client that reconnects learns the outcome
PATIENCE = 3.0  # seconds that a work goes on while nobody watches
_KEPT_AT_REST = 5  # times as long is a work kept that rests meanwhile, so that a page that is loaded again finds it
_QUIET = 0.5  # seconds without a watcher after which a work rests
_LOOK = 0.01  # seconds between two looks of a work at rest


class Stopped(Exception):
    """Raised in a work that no client wants any more."""


class Work:
    """One piece of work.

    Parameters
    ----------
    task : callable
        `task(work)` returns the outcome; it calls `work.check()` often, and may set `work.seen`.

    Attributes
    ----------
    seen
        What the task shows of its progress.
    outcome
        What it returned; None before.
    error : Exception or None
        What it raised: `Stopped` where it was stopped.
    paused : bool
        Whether it is to rest until a client wants it to go on.
    rests : bool
        Whether it does.
    """

    def __init__(self, task: Callable[[Work], Any]):
        self.seen: Any = None
        self.outcome: Any = None
        self.error: Exception | None = None
        self.paused: bool = False
        self.rests: bool = False
        self._task: Callable[[Work], Any] | None = task
        self.was_stopped: bool = False  # and is to end, which a task that seldom checks does later
        self._ended = threading.Event()
        self._watched = time.monotonic()

    @property
    def has_ended(self) -> bool:
        """Whether its thread is done."""
        return self._ended.is_set()

    def watch(self) -> None:
        """Note that a client still wants it."""
        self._watched = time.monotonic()

    def stop(self) -> None:
        """Make it end within a slice."""
        self.was_stopped = True

    def is_unwanted(self) -> bool:
        """Return whether it was stopped, or no client has watched for a while."""
        return self.was_stopped or self._unwatched > PATIENCE

    @property
    def _unwatched(self) -> float:
        return time.monotonic() - self._watched  # seconds

    @property
    def is_to_rest(self) -> bool:
        """Whether it is paused, or nobody watches."""
        return self.paused or self._unwatched > _QUIET

    def rest(self) -> float:
        """Wait as long as it is to rest; return the seconds that this took.

        Raises
        ------
        Stopped
            It was stopped, or nobody has come to watch it for long.
        """
        begun = time.monotonic()
        while self.is_to_rest and not self.was_stopped:
            if self._unwatched > _KEPT_AT_REST * PATIENCE:
                raise Stopped
            self.rests = True
            time.sleep(_LOOK)
        self.rests = False
        if self.was_stopped:
            raise Stopped
        return time.monotonic() - begun

    def check(self) -> None:
        """Raise `Stopped` in a work that is not wanted."""
        if self.is_unwanted():
            raise Stopped

    def wait(self, seconds: float) -> bool:
        """Wait until it has ended, at most so long; return whether it has."""
        return self._ended.wait(seconds)

    def run(self) -> None:
        """Carry out the task in the calling thread, once; it is not kept."""
        task, self._task = self._task, None
        try:
            self.outcome = task(self) if task is not None else None
        except Exception as error:  # for whoever watches, who raises it unless it is a user's mistake
            if not isinstance(error, ValueError | Stopped):
                error.add_note("".join(traceback.format_exception(error)))
            # The functions that an error came through hold a tree.
            error.__cause__ = error.__context__ = error.__traceback__ = None
            self.error = error
        finally:
            del task
            self._ended.set()


class Works:
    """The works of a server by their ids."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._works: dict[str, Work] = {}

    def begin(self, name: str, task: Callable[[Work], Any]) -> Work:
        """Begin a work, unless this id has one already.

        Raises
        ------
        Refused
            Too many run.
        """
        with self._lock:
            if name in self._works:
                return self._works[name]
            kept = sum(not work.has_ended for work in self._works.values())
            if kept >= AT_ONCE:
                raise Refused(f"{kept} searches are running, the maximum; wait until one ends", 429)
            ended = [key for key, work in self._works.items() if work.has_ended]
            for key in ended[: max(0, len(ended) - KEPT + 1)]:
                del self._works[key]
            work = self._works[name] = Work(task)
        threading.Thread(target=work.run, name=f"work {name}", daemon=True).start()
        return work

    def of(self, name: str) -> Work:
        """Return the work of an id.

        Raises
        ------
        Refused
            There is none.
        """
        with self._lock:
            if name not in self._works:
                raise Refused(f"id must be that of a recent search; got {name!r}", 404)
            return self._works[name]

    def drop(self, name: str) -> None:
        """Drop a work that ended, with its outcome."""
        with self._lock:
            self._works.pop(name, None)

    @property
    def running(self) -> list[Work]:
        """Those that have not ended and do not rest."""
        return [work for work in self.kept if not work.rests]

    @property
    def resting(self) -> list[Work]:
        """Those that rest."""
        return [work for work in self.kept if work.rests]

    @property
    def kept(self) -> list[Work]:
        """Those that have not ended."""
        with self._lock:
            return [work for work in self._works.values() if not work.has_ended]

    def stop(self) -> None:
        """Make all of them end within a slice."""
        with self._lock:
            for work in self._works.values():
                work.stop()
