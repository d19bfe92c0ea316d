"""Whether kernels are being compiled, which takes most of the time of the first command of its kind."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

NOTICE = "compiling kernels, once: the next command finds them compiled"
_LONG = 1.0  # seconds, from which on somebody who waits wants to know why


class Compiling:
    """What this process compiles: whether it does so now, and how long it has.

    Attributes
    ----------
    say : callable, optional
        Called with NOTICE, once a process, when compiling takes more than a second.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._depth = 0  # the helpers of a kernel are compiled while it is
        self._began = self._before = 0.0
        self._timer: threading.Timer | None = None
        self.say: Callable[[str], None] | None = None
        self._said = False

    @property
    def now(self) -> bool:
        """Whether a kernel is being compiled."""
        return self._depth > 0

    @property
    def seconds(self) -> float:
        """How long this process has been compiling, all in all."""
        with self._lock:
            return self._before + (time.monotonic() - self._began if self._depth else 0.0)

    @contextlib.contextmanager
    def told(self, say: Callable[[str], None]) -> Iterator[None]:
        """Have somebody told, inside the block."""
        before, self.say = self.say, say
        try:
            yield
        finally:
            self.say = before

    def start(self) -> None:
        """Note that a compilation begins."""
        with self._lock:
            self._depth += 1
            if self._depth > 1:
                return
            self._began = time.monotonic()
            if self.say is not None and not self._said:
                self._timer = threading.Timer(max(0.0, _LONG - self._before), self._tell)
                self._timer.daemon = True
                self._timer.start()

    def end(self) -> None:
        """Note that the last one that began has ended."""
        with self._lock:
            self._depth -= 1
            if self._depth:
                return
            self._before += time.monotonic() - self._began
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def _tell(self) -> None:
        self._said = True
        if self.say is not None:
            self.say(NOTICE)


compiling = Compiling()


def watch() -> None:
    """Have Numba tell of each compilation; loading from the cache is none."""
    from numba.core import event

    listener: Any = event.Listener

    class Watch(listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            compiling.start()

        def on_end(self, event: Any) -> None:
            compiling.end()

    event.register("numba:compile", Watch())
