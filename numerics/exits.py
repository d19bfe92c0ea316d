"""How a command ends: a user's mistake is one sentence on standard error and status 2; Ctrl-C is 130, SIGTERM 143.

Only bugs have tracebacks.
"""

from __future__ import annotations

import contextlib
import errno
import faulthandler
import gc
import io
import logging
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

from numerics.checks import escape_controls, shorten
from numerics.kernels.compiling import compiling

MISTAKE, INTERRUPTED, TERMINATED = 2, 130, 143
_PASSWORD = re.compile(r"(://[^\s:/@]*:)[^\s@]*@")  # in the URL of a database
_LONGEST = 1_000  # signs of a sentence: a screen
_FREE = "free some space, then resume with hydra.run.dir=FOLDER (a sweep: hydra.sweep.dir)"
_CHOOSE = "choose a writable folder with hydra.run.dir=FOLDER (a sweep: hydra.sweep.dir)"
_CURES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), _FREE),
    **dict.fromkeys((errno.ENOENT, errno.EPERM, errno.EACCES, errno.EROFS, errno.ENOTDIR, errno.EEXIST), _CHOOSE),
    errno.EFBIG: "raise the file size limit (ulimit -f), or lower runs",
}
_TERMINATING = [signal.SIGTERM]
if sys.platform == "win32":
    _TERMINATING.append(signal.SIGBREAK)

_OBJECTS = 50_000  # new ones before Python looks for garbage: at its 700, looking is an eighth of a short command

at_end: list[Callable[[], None]] = []  # called before the process ends early


class Terminated(KeyboardInterrupt):
    """SIGTERM, by which a cluster ends a job that has run too long; like Ctrl-C with another word and exit status.

    Windows, where no process hears another's SIGTERM, has Ctrl-Break for it.
    """


def run_guarded(
    main: Callable[[], None], explain: Callable[[BaseException], str | None] = lambda error: explain_error(error)
) -> int:
    """Run a command and return its exit status, after saying what went wrong in one sentence.

    Parameters
    ----------
    main : callable
        The command.
    explain : callable, optional
        Returns the sentence about an error, or None for a bug, which is raised; `explain_error` when left out.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name) or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (closed by the shell)
        setattr(sys, name, stream)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without the sign for a box line still shows the numbers
    name_crashes()
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # as of a home where it cannot keep its list of fonts
    gc.set_threshold(_OBJECTS)
    try:
        return _status_of(main)
    except KeyboardInterrupt as stop:
        word, status = ("terminated", TERMINATED) if isinstance(stop, Terminated) else ("interrupted", INTERRUPTED)
        say(f"{word}; to resume, repeat the command with {stop}" if str(stop) else word)
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # a pipe whose reader has left
        return MISTAKE
    except Exception as error:
        sentence = explain(error)
        if sentence is None:
            raise
        say(sentence)
        return MISTAKE


def _status_of(main: Callable[[], None]) -> int:
    """Call a command and write out what it printed; return its exit status.

    What is left in the buffer is written here, because an error in the interpreter's own last flush ends with 120.
    """
    status = 0
    try:
        compiling.say = say
        with _stoppable():
            main()
    except SystemExit as left:  # as Hydra and argparse end
        if isinstance(left.__context__, BrokenPipeError):  # found by rich, which would end with 1
            return MISTAKE
        if not isinstance(left.code, int | None):
            raise
        status = left.code or 0
    finally:
        compiling.say = None
    sys.stdout.flush()
    return status


def name_crashes() -> None:
    """Have a crash of the process, as by a user's code that writes where it may not, print the lines that led there."""
    with contextlib.suppress(OSError, ValueError, AttributeError):  # standard error is closed, or no file
        faulthandler.enable(all_threads=False)


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """Raise KeyboardInterrupt at Ctrl-C, and `Terminated` at the first SIGTERM; a second SIGTERM ends the process.

    Code of a library can turn what a signal raises in it into another error, which is the same end.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    stopped: type[KeyboardInterrupt] | None = None  # no exception, whose frames would outlive it

    def stop(number: int, _frame: FrameType | None) -> NoReturn:
        nonlocal stopped
        stopped = KeyboardInterrupt if number == signal.SIGINT else Terminated
        if number != signal.SIGINT:
            signal.signal(number, signal.SIG_DFL)
        raise stopped

    before = {number: signal.signal(number, stop) for number in _TERMINATING}
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, signal.SIG_DFL):  # else it is ignored
        before[signal.SIGINT] = signal.signal(signal.SIGINT, stop)
    try:
        yield
    except Exception as error:
        if stopped is not None:
            raise stopped from error
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def leave(status: int) -> NoReturn:
    """End the process; at once after a failure, because a kernel in another thread cannot be stopped."""
    if status == 0:
        sys.exit(0)
    for close in at_end:
        with contextlib.suppress(Exception):
            close()
    gc.collect()  # the semaphores of a pool that broke, which multiprocessing reports as leaked if they outlive us
    with contextlib.suppress(OSError):  # which has been said
        sys.stdout.flush()
    os._exit(status)


def say(text: str) -> None:
    """Print one sentence on standard error; long words are cut, and no control character or password reaches it."""
    shown = shorten(escape_controls(_PASSWORD.sub(r"\1***@", text)))
    if len(shown) > _LONGEST:
        shown = f"{shown[: _LONGEST - 300]} ... {shown[-250:]}"
    with contextlib.suppress(OSError):  # nobody reads it
        print(shown, file=sys.stderr, flush=True)


def explain_error(error: BaseException) -> str | None:
    """Return one sentence for a mistake of the user or a failure of the machine, None for a bug of ours."""
    if isinstance(error, MemoryError):
        return "not enough memory for this run; lower runs or the number of arms"
    if isinstance(error, OSError):
        if not error.errno:  # no failure of a file, such as that of a database
            return one_line(error)
        reason = os.strerror(error.errno)
        cure = _CURES.get(error.errno)
        return f"{error.filename2 or error.filename or 'output'}: {reason}{f'; {cure}' if cure else ''}"
    return one_line(error) if isinstance(error, ValueError) else None


def one_line(error: object) -> str:
    """Return the message of an error on one line."""
    return " ".join(str(error).split())
