"""The notice about compilation, which takes most of the time of the first command of its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

PHASE = "... "  # what begins a line on what goes on; the rest of standard error are sentences
NOTICE = f"{PHASE}compiling (first use only; the result is cached)"


class Compiling:
    """Whether this process is compiling, and who is told.

    Attributes
    ----------
    say : callable, optional
        Called once with `NOTICE`, when code that is kept on disk is first compiled.
    """

    def __init__(self) -> None:
        self.say: Callable[[str], None] | None = None
        self._depth = 0  # compilations nest: a kernel compiles its helpers

    @property
    def now(self) -> bool:
        """Whether a kernel is being compiled."""
        return self._depth > 0

    def start(self, *, is_kept: bool) -> None:
        """Record the beginning of a compilation."""
        self._depth += 1
        if is_kept and self.say is not None:
            self.say(NOTICE)
            self.say = None

    def end(self) -> None:
        """Record the end of the innermost compilation."""
        self._depth -= 1


compiling = Compiling()


def watch() -> None:
    """Listen to Numba's compilations; a dispatcher whose code is kept says so by `is_kept`."""
    from numba.core import event

    listener: Any = event.Listener

    class Watch(listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            compiling.start(is_kept=getattr(event.data["dispatcher"], "is_kept", False))

        def on_end(self, event: Any) -> None:
            compiling.end()

    event.register("numba:compile", Watch())
