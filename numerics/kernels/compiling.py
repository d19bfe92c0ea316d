"""Watching compilation, which takes most of the time of the first command of its kind."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

NOTICE = "compiling kernels of this kind, once: the next command that needs them finds them compiled"
_LONG = 1.0  # seconds of compiling after which a waiting user gets a notice


class Compiling:
    """Whether this process is compiling, and how long it has compiled so far.

    Attributes
    ----------
    say : callable, optional
        Called with NOTICE, once in a process, when compiling takes more than a second.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._depth = 0  # compilations nest: a kernel compiles its helpers
        self._began = self._before = 0.0
        self._timer: threading.Timer | None = None
        self.say: Callable[[str], None] | None = None
        self._noticed = False

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

    def start(self) -> None:
        """Record the beginning of a compilation."""
        with self._lock:
            self._depth += 1
            if self._depth > 1:
                return
            self._began = time.monotonic()
            if self.say is not None and not self._noticed:
                self._timer = threading.Timer(max(0.0, _LONG - self._before), self._announce)
                self._timer.daemon = True
                self._timer.start()

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

    def _announce(self) -> None:
        self._noticed = True
        if self.say is not None:
            self.say(NOTICE)


compiling = Compiling()


def watch() -> None:
    """Listen to Numba's compilations; loading from the cache does not count."""
    from numba.core import event

    listener: Any = event.Listener

    class Watch(listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            compiling.start()

        def on_end(self, event: Any) -> None:
            compiling.end()

    event.register("numba:compile", Watch())
