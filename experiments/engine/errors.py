"""A user's mistake is one sentence on standard error and exit status 2; Ctrl-C is 130, SIGTERM 143.

Only bugs have tracebacks.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor
from types import FrameType
from typing import NoReturn, TextIO

from experiments.engine.executors import at_end
from experiments.engine.experiment import unknown
from numerics.checks import printable
from numerics.kernels.compiling import compiling
from numerics.parameters import must_be_one_of

MISTAKE, INTERRUPTED, TERMINATED = 2, 130, 143
_LONGEST, _LONGEST_WORD = 1_000, 300  # of a sentence: a screen; of a word in it: a path
_OUTPUT = "standard output"
_FULL = (errno.ENOSPC, errno.EDQUOT)
_NO_FOLDER = (errno.ENOENT, errno.EPERM, errno.EACCES, errno.EROFS, errno.ENOTDIR, errno.EEXIST)


class Terminated(KeyboardInterrupt):
    """SIGTERM, by which a cluster ends what has run too long: as Ctrl-C, but for its word and its status."""


class SaidAlready(Exception):
    """A failure whose sentence has been printed where it happened."""


def guarded(main: Callable[[], None]) -> int:
    """Run a command and return its exit status, after saying what went wrong in one sentence."""
    sys.stdout, sys.stderr = (_open(stream) for stream in (sys.stdout, sys.stderr))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without the sign for a box line still shows the numbers
    try:
        with compiling.announced(say), _terminable():
            main()
        sys.stdout.flush()
    except KeyboardInterrupt as stop:
        word, status = ("terminated", TERMINATED) if isinstance(stop, Terminated) else ("interrupted", INTERRUPTED)
        say(f"{word}; the same command with {stop} plays only what is missing" if str(stop) else word)
        return status
    except SaidAlready:
        return MISTAKE
    except BrokenPipeError:  # the reader of a pipe has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return MISTAKE
    except SystemExit as left:
        if isinstance(left.__context__, BrokenPipeError):  # found by rich, which would end with 1
            return MISTAKE
        if not isinstance(left.code, int | None):
            raise
        return left.code or 0  # as argparse and Hydra end
    except Exception as error:
        locate(error, "results")
        said = sentence(error)
        if said is None:
            raise
        say(said)
        return MISTAKE
    return 0


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """Raise `Terminated` at the first SIGTERM; a second one ends the process at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _frame: FrameType | None) -> NoReturn:
        signal.signal(number, signal.SIG_DFL)
        raise Terminated

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _open(stream: TextIO | None) -> TextIO:
    """Return a stream to write to: None is one that the shell has closed, and then nobody reads."""
    return stream or open(os.devnull, "w", encoding="utf-8")


def leave(status: int) -> NoReturn:
    """End the process; after a failure at once, because a kernel in another thread cannot be asked to stop."""
    if status == 0:
        sys.exit(0)
    for close in at_end:
        with contextlib.suppress(Exception):
            close()
    with contextlib.suppress(OSError):  # which has been said
        sys.stdout.flush()
    os._exit(status)


def say(text: str) -> None:
    """Print one sentence on standard error; what was typed is cut in it, and no sign of it acts on a terminal."""
    shown = re.sub(
        rf"\S{{{_LONGEST_WORD},}}", lambda word: f"{word[0][:60]}... ({len(word[0])} signs)", printable(text)
    )
    if len(shown) > _LONGEST:
        shown = f"{shown[: _LONGEST - 300]} ... {shown[-250:]}"
    with contextlib.suppress(OSError):  # nobody reads it
        print(shown, file=sys.stderr, flush=True)


def locate(error: BaseException, place: str) -> None:
    """Note where writing has failed if the system does not say: standard output if that is stuck, else `place`."""
    from hydra.errors import HydraException  # of which some are errors of the system

    if isinstance(error, HydraException) or not isinstance(error, OSError) or error.errno is None:
        return
    if error.filename is None:
        try:
            sys.stdout.flush()
            os.write(sys.stdout.fileno(), b"")
        except OSError as again:
            if again.errno == error.errno:
                place = _OUTPUT
        error.filename = place


def sentence(error: BaseException) -> str | None:
    """Return one sentence for a mistake of the user or a failure of the machine, None for a bug of ours."""
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    if isinstance(error, (HydraException, OmegaConfBaseException)):
        return _of_configuration(error)
    if isinstance(error, MemoryError) or _is_for_lack_of_memory(error):
        return "memory: the machine has too little for this run; lower runs or the number of arms"
    if isinstance(error, OSError):
        return _of_system(error)
    if isinstance(error, BrokenExecutor):
        return (
            "executor: a worker process has died, killed from outside or for lack of memory; "
            "start again with the same hydra.run.dir, and with fewer executor.workers"
        )
    return _one_line(error) if isinstance(error, ValueError) else None


def _is_for_lack_of_memory(error: BaseException) -> bool:
    """Whether a library could not be loaded, or a thread not be started, because no memory was left for it."""
    signs = ("failed to map segment", "cannot allocate memory", "resource temporarily unavailable")
    if isinstance(error, BlockingIOError):  # which says the same of a pipe that is full
        return False
    return isinstance(error, (ImportError, OSError)) and any(sign in str(error).lower() for sign in signs)


def _of_system(error: OSError) -> str:
    place = error.filename or "results"
    reason = os.strerror(error.errno) if error.errno else _one_line(error)
    hint = ""
    if error.errno in _FULL:
        hint = "; free some space, then start again (a run with hydra.run.dir, a sweep with hydra.sweep.dir)"
    elif error.errno in _NO_FOLDER:
        hint = "; choose a folder that can be made and written, with hydra.run.dir=FOLDER (a sweep: hydra.sweep.dir)"
    elif error.errno == errno.EFBIG:
        hint = "; raise the limit on the size of files (ulimit -f), or lower runs"
    return f"{place}: {reason}{'' if place == _OUTPUT else hint}"


def _of_configuration(error: BaseException) -> str:
    """Answer an error of Hydra or OmegaConf from what it carries: the override, the group's names, the key."""
    from omegaconf.errors import InterpolationResolutionError, OmegaConfBaseException

    if override := getattr(error, "override", None):  # it cannot be parsed
        return unreadable(str(override))
    if missing := getattr(error, "missing_cfg_file", None):  # a name that a group does not have
        group, _, name = str(missing).rpartition("/")
        return must_be_one_of(group or "config", name, sorted(getattr(error, "options", None) or ()))
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, OmegaConfBaseException):
        cause = cause.__cause__
    key = getattr(cause, "full_key", None)
    if isinstance(cause, InterpolationResolutionError) and key:
        return f"{key} cannot be resolved ({_one_line(str(cause).splitlines()[0])}); give {key}=VALUE"
    if getattr(cause, "object_type", None) is list:
        return f"{key} must be a list, such as [a,b]; got a mapping"
    if key and isinstance(above := getattr(cause, "parent_node", None), Mapping):
        return unknown(str(key), [str(one) for one in above if one not in ("hydra", "kind")])
    return _one_line(error)


def unreadable(override: str) -> str:
    """Say how to write an override that Hydra's grammar does not take."""
    key, equals, value = override.partition("=")
    is_key = equals and re.fullmatch(r"(~|\+\+?)?[\w./@-]+", key)
    plain = is_key and re.match(r"[\[{]|.*['\"]", value) is None
    if plain and value.startswith("~"):
        return f"{key} must be written without ~, such as {key}={os.path.expanduser(value)}; got {value!r}"
    if plain and value.strip():
        return f"{key} must stand in quotes within quotes, as '{key}=\"{value}\"'; got {value!r}"
    quoted = "KEY='\"a b\"'"
    return f"cannot read {override!r}: an override is KEY=VALUE, lists are [a,b], other signs need quotes: {quoted}"


def _one_line(error: object) -> str:
    return " ".join(str(error).split())
