"""Ctrl-C, heard from the first moment of a command, whatever Python or a compiler is doing then."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # loaded already; `signal` takes as long as all the rest
import os
import sys
import time

TYPE_CHECKING = False  # as `typing` has it, which would take as long again
if TYPE_CHECKING:
    from types import FrameType, TracebackType

STATUS = 130
_TOGETHER = 0.5  # seconds in which several are one: the others would meet the sentence about the first
_seen: list[float] = []  # when Ctrl-C came, since the command began


def heard_early() -> None:
    """End a command that Ctrl-C reaches before it begins: nothing has been done that would have to be undone.

    While `python -m` imports the packages around a module, and only then, that is the first word of the command.
    """
    if sys.argv[:1] == ["-m"] and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def _end(number: int, frame: FrameType | None) -> None:
    try:
        os.write(2, b"interrupted\n")
    finally:  # also where nobody reads it
        os._exit(STATUS)


def raise_lost() -> None:
    """Raise KeyboardInterrupt where work goes on after a Ctrl-C: then a library has swallowed the first one.

    Those that read configurations do, once in some hundred times; what tidies up on the way out does not ask.
    """
    if _seen:
        raise KeyboardInterrupt


def remembered() -> list[float]:
    """Return a list that the time of every Ctrl-C from now on will be put into.

    It raises KeyboardInterrupt as always, several in a moment do so once. Where Python cannot pass that on, inside a
    callback of compiled code or of the garbage collector, it is raised once more, so that it is not lost.
    """
    import _thread
    import contextlib
    import threading

    seen = _seen
    seen.clear()
    if signal.getsignal(signal.SIGINT) not in (signal.default_int_handler, _end):  # ignored, or another program's
        return seen
    lost_one = threading.Event()

    def remember(number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        again = lost_one.is_set()
        lost_one.clear()
        if again or not seen or now - seen[-1] > _TOGETHER:
            seen.append(now)
            signal.default_int_handler(number, frame)

    def raise_again(lost: sys.UnraisableHookArgs) -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            lost_one.set()
            threading.Timer(0.01, _thread.interrupt_main).start()  # in this hook it would be lost again
        elif not seen:  # else it is of an object that was never finished
            sys.__unraisablehook__(lost)

    def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, KeyboardInterrupt):  # which compiled code prints before it makes an ImportError of it
            sys.__excepthook__(kind, error, trace)

    with contextlib.suppress(ValueError):  # only the main thread may
        signal.signal(signal.SIGINT, remember)
        sys.unraisablehook, sys.excepthook = raise_again, show
    return seen
