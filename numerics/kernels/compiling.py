"""Watching compilation, which takes most of the time of the first command of its kind."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

PHASE = "... "  # what begins a line on what goes on; the rest of standard error are sentences
_FIRST, _EVERY = 1.0, 5.0  # seconds of compiling until a waiting user reads what compiles, and until the next time
_LONG, _AGAIN = 2.0, 60.0  # and seconds in which a single kernel has not ended, and between repetitions


def notice(kernel: str) -> str:
    """Return the line about a kernel that is being compiled.

    Examples
    --------
    >>> notice("bandits.kernels.general.play")
    '... compiling bandits.kernels.general.play (once; the next command that needs it finds it compiled)'
    """
    return f"{PHASE}compiling {kernel} (once; the next command that needs it finds it compiled)"


class Compiling:
    """Whether this process is compiling, and how long it has compiled so far.

    Attributes
    ----------
    say : callable, optional
        Called with `notice` when compiling takes more than a second, again after five more, whenever a single kernel
        takes more than two, and each minute.
    kernel : str
        The dotted name of the kernel that is, or was last, being compiled; those that it calls are part of it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._depth = 0  # compilations nest: a kernel compiles its helpers
        self._began = self._before = 0.0
        self._timer: threading.Timer | None = None
        self.say: Callable[[str], None] | None = None
        self.kernel = ""
        self._noticed = 0.0  # seconds of compiling until the last notice

    @property
    def now(self) -> bool:
        """Whether a kernel is being compiled."""
        return self._depth > 0

    @property
    def seconds(self) -> float:
        """Seconds that this process has spent compiling."""
        with self._lock:
            return self._before + (time.monotonic() - self._began if self._depth else 0.0)

    @contextlib.contextmanager
    def announced(self, say: Callable[[str], None]) -> Iterator[None]:
        """Call `say` with the notice if compiling takes long inside the block."""
        before, self.say = self.say, say
        try:
            yield
        finally:
            self.say = before

    def start(self, kernel: str) -> None:
        """Record the beginning of a compilation."""
        with self._lock:
            self._depth += 1
            if self._depth > 1:
                return
            self._began, self.kernel = time.monotonic(), kernel
            if self.say is not None:
                due = self._noticed + (_EVERY if self._noticed else _FIRST) - self._before
                self._wait(min(_LONG, max(0.0, due)))

    def end(self) -> None:
        """Record the end of the innermost compilation."""
        with self._lock:
            self._depth -= 1
            if self._depth:
                return
            self._before += time.monotonic() - self._began
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def _wait(self, seconds: float) -> None:
        """Have the notice printed after some seconds unless the compilation ends before."""
        self._timer = threading.Timer(seconds, self._announce)
        self._timer.daemon = True
        self._timer.start()

    def _announce(self) -> None:
        self._noticed = self.seconds
        if self.say is not None:
            self.say(notice(self.kernel))
        with self._lock:
            if self._depth:
                self._wait(_AGAIN)


compiling = Compiling()


def watch() -> None:
    """Listen to Numba's compilations; loading from the cache does not count."""
    from numba.core import event

    listener: Any = event.Listener

    class Watch(listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            function = event.data["dispatcher"].py_func
            compiling.start(f"{function.__module__}.{function.__qualname__}")

        def on_end(self, event: Any) -> None:
            compiling.end()

    event.register("numba:compile", Watch())
