"""A user's mistake is one sentence on standard error and exit status 2; Ctrl-C is 130; only bugs have tracebacks."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor
from typing import Any, NoReturn, TextIO

from experiments import interrupts

MISTAKE, INTERRUPTED = 2, interrupts.STATUS
_OUTPUT = "standard output"


class SaidAlready(Exception):
    """A failure whose sentence has been printed where it happened."""


def guarded(main: Callable[[], None]) -> int:
    """Run a command and return its exit status, after saying what went wrong in one sentence."""
    sys.stdout, sys.stderr = (_open(stream) for stream in (sys.stdout, sys.stderr))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without the sign for a box line still shows the numbers
    heard = interrupts.remembered()
    try:
        main()
        sys.stdout.flush()
    except KeyboardInterrupt as stop:
        place = f"; the same command with {stop} plays only what is missing" if str(stop) else ""
        say(f"interrupted{place}")
        return INTERRUPTED
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
        return left.code or 0  # as argparse and Hydra end; `leave` sees to it that nothing interrupts that any more
    except Exception as error:
        if heard:  # what a compiler makes of it when it is stopped halfway
            say("interrupted")
            return INTERRUPTED
        locate(error, "results")
        said = sentence(error)
        if said is None:
            raise
        say(said)
        return MISTAKE
    return 0


def _open(stream: TextIO | None) -> TextIO:
    """Return a stream to write to: None is one that the shell has closed, and then nobody reads."""
    return stream or open(os.devnull, "w", encoding="utf-8")


def leave(status: int) -> NoReturn:
    """End the process; after a failure at once, because a kernel in another thread cannot be asked to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to interrupt
    if status == 0:
        sys.exit(0)
    with contextlib.suppress(OSError):  # which has been said
        sys.stdout.flush()
    os._exit(status)


def say(text: str) -> None:
    """Print one sentence on standard error."""
    with contextlib.suppress(OSError):  # nobody reads it
        print(text, file=sys.stderr, flush=True)


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
            if error.errno is not None and again.errno == error.errno:
                place = _OUTPUT
        error.filename = place


def sentence(error: BaseException) -> str | None:
    """Return one sentence for a mistake of the user or a failure of the machine, None for a bug of ours."""
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    if isinstance(error, (HydraException, OmegaConfBaseException)):
        return _configuration(error)
    if isinstance(error, MemoryError) or _is_for_lack_of_memory(error):
        return "memory: the machine has too little for this run; lower runs or the number of arms"
    if isinstance(error, OSError):
        return _system(error)
    if str(error).startswith("Config group override must be a string"):  # Hydra does not say which
        return "a group, such as bandit, must be one of its names (python -m experiments.run --help); got null"
    if isinstance(error, BrokenExecutor):
        return (
            "executor: a worker process has died, killed from outside or for lack of memory; "
            "start again with the same hydra.run.dir, and with fewer executor.workers"
        )
    return _one_line(str(error)) if isinstance(error, ValueError) else None


def _is_for_lack_of_memory(error: BaseException) -> bool:
    """Whether a library could not be loaded, or a thread not be started, because no memory was left for it."""
    signs = ("failed to map segment", "cannot allocate memory", "resource temporarily unavailable")
    if isinstance(error, BlockingIOError):  # which says the same of a pipe that is full
        return False
    return isinstance(error, (ImportError, OSError)) and any(sign in str(error).lower() for sign in signs)


def _system(error: OSError) -> str:
    place = error.filename or "results"
    reason = os.strerror(error.errno) if error.errno else _one_line(str(error))
    hint = {
        errno.ENOSPC: "; free some space, then start again (a run with hydra.run.dir, a sweep with hydra.sweep.dir)",
        errno.ENOENT: "; choose a folder that can be made, with hydra.run.dir=FOLDER (a sweep: hydra.sweep.dir)",
        errno.EPERM: "; choose a folder that can be changed, with hydra.run.dir=FOLDER (a sweep: hydra.sweep.dir)",
        errno.EFBIG: "; raise the limit on the size of files (ulimit -f), or lower runs",
        errno.EDQUOT: "; free some quota, then start again (a run with hydra.run.dir, a sweep with hydra.sweep.dir)",
        errno.EACCES: "; choose a folder that you may write, with hydra.run.dir=FOLDER (a sweep: hydra.sweep.dir)",
        errno.EROFS: "; choose a folder that can be written, with hydra.run.dir=FOLDER (a sweep: hydra.sweep.dir)",
        errno.ENOTDIR: "; choose a folder, with hydra.run.dir=FOLDER (a sweep: hydra.sweep.dir)",
        errno.EEXIST: " and is no folder; choose a folder, with hydra.run.dir=FOLDER",
    }.get(error.errno or 0, "")
    return f"{place}: {reason}{'' if place == _OUTPUT else hint}"


def _configuration(error: BaseException) -> str:
    """Turn Hydra's and OmegaConf's paragraphs into a sentence: the key, the value, what is allowed."""
    text, cause = str(error), error.__cause__
    options = getattr(error, "options", None)
    if "--multirun" in text:
        return "an override has several values: that is a sweep, which needs -m before the overrides"
    if found := re.search(r"Could not find '(?:([\w/]+)/)?([^'/]*)'", text):
        group, name = found.groups()
        return f"{group or 'config'} must be one of {', '.join(sorted(options or ()))}; got {name!r}"
    if found := re.search(r"Could not override '([^']+)'\. No match in the defaults list", text):
        return f"{found[1]} is no group of this experiment; see python -m experiments.run --help"
    if found := re.search(r"Could not override '([^']+)'", text):
        return _allowed(cause, found[1])
    if "Interpolation" in type(error).__name__ and (key := key_of(error)):
        return f"{key} cannot be resolved ({_one_line(text.splitlines()[0])}); give {key}=VALUE"
    if found := re.search(r"Could not append to config. An item is already at '([^']+)'", text):
        return f"{found[1]} exists already; write {found[1]}=VALUE without the plus sign"
    if text.startswith("Missing mandatory value"):
        return f"{key_of(error)} must be given, as {key_of(error)}=VALUE; it has no default"
    if found := re.search(r"Error merging override (.+)", text):
        key, _, value = found[1].partition("=")
        if key.startswith("~"):
            return removed(key[1:], found[1])
        value = _one_line(value)
        if (full := key_of(cause)) and full.startswith(f"{key.lstrip('+')}["):  # one element of a list
            key, value = full, "null" if (own := getattr(cause, "value", None)) is None else repr(own)
        key = key.lstrip("+")
        return f"{key} {_checked(key, cause, value) or _reason(cause, value)}; got {value or 'nothing'}"
    if text.startswith("Could not delete from config") and (found := re.search(r"'([^']+)'", text)):
        return removed(found[1], f"~{found[1]}")
    if type(error).__name__ == "OverrideParseException":
        return unreadable(str(getattr(error, "override", "") or ""))
    if cause is not None and key_of(error):
        return f"{key_of(error)} {_reason(cause)}"
    return _one_line(text)


def unreadable(override: str) -> str:
    """Say how to write an override that Hydra's grammar does not take."""
    key, equals, value = override.partition("=")
    plain = (
        bool(equals) and re.fullmatch(r"[~+]*[\w./@-]+", key) is not None and re.match(r"[\[{]|.*['\"]", value) is None
    )
    if plain and value.startswith("~"):
        import os.path

        return f"{key} must be written without ~, such as {key}={os.path.expanduser(value)}; got {value!r}"
    if plain and value.strip():
        return f"{key} must stand in quotes within quotes, as '{key}=\"{value}\"'; got {value!r}"
    quoted = "KEY='\"a b\"'"
    return f"cannot read {override!r}: an override is KEY=VALUE, lists are [a,b], other signs need quotes: {quoted}"


def unknown(key: str, known: Sequence[str]) -> str:
    """Say that there is no such key, and which there are."""
    place, keys = key.rpartition(".")[0] or "the experiment", ", ".join(one for one in known if one != "hydra")
    return f"{key} is no key here; {place} has {keys} (python -m experiments.run --help lists all)"


def removed(key: str, override: str) -> str:
    """Say that a key cannot be taken away."""
    return f"{key} cannot be removed; give {key}=VALUE, or leave it out for its default; got {override!r}"


def key_of(error: BaseException | None) -> str | None:
    """Return the dotted key that an OmegaConf error is about, if it says so."""
    return getattr(error, "full_key", None) or None


def _reason(cause: BaseException | None, value: str = "") -> str:
    """Say what a value must be, from the first line of OmegaConf's error."""
    line = _one_line(str(cause).splitlines()[0]) if cause is not None and str(cause) else ""
    if found := re.search(r"could not be converted to (\w+)", line):
        digits = _in_digits(value) if found[1] == "Integer" else ""
        return f"must be {_KINDS.get(found[1], found[1])}{f' {digits}' if digits else ''}"
    if "is not Optional" in line:
        node = type(getattr(cause, "child_node", None)).__name__
        return f"must be {_KINDS.get(node.removesuffix('Node'), 'a value')}"
    if "NoneType" in line:
        return "must be a number"
    if "ListConfig" in line:
        return f"must be a list, such as [{value or 'a'},...]"
    if "to string" in line:
        return "must be a text"
    return f"is not allowed here ({line})"


def _checked(key: str, cause: BaseException | None, value: str) -> str | None:
    """Say what a value must be in the words of the library's own check, which knows the range; None if it has none."""
    place, _, name = key.rpartition(".")
    name = name.partition("[")[0]
    node: Any = getattr(cause, "parent_node", None)
    if key.endswith("]"):
        node = node._get_parent()
    listed = name in ("means", "params")
    given: Any = [value, value] if listed else value
    kind = node.get("name" if place == "bandit" else "kind", "") if hasattr(node, "items") else ""  # else a list
    said = _said_of(place, name, kind, given)
    if said is None or not (found := re.match(r"[\w.]+(?:\[\d+\])? (must be .*); got ", said)):
        return None
    reason = found[1]
    if listed and not key.endswith("]"):
        return f"{reason.replace('must be a number', 'must be a list of numbers')}, such as [0.1,0.5]"
    if "a whole number" in reason and (digits := _in_digits(value)):
        over = _said_of(place, name, kind, int(float(value)))  # as the number that it is
        return over.partition("; got ")[0].partition(" ")[2] if over else f"{reason}, {digits}"
    return reason


def _said_of(place: str, name: str, kind: str, value: Any) -> str | None:
    """Return what the library says of a value, or None if it takes it or if the key is none of those it checks here."""
    from bandits import POLICIES, make
    from experiments import build, executors

    try:
        if place == "bandit" and kind in POLICIES and name != "name":
            make(kind, **{**({"rule": "a.b"} if kind == "custom" else {}), name: value})
        elif place == "arms" and kind in build.ARMS:
            build.arms({"kind": kind, **({"means": [0, 0]} if build.has_means(kind) else {}), name: value})
        elif place == "executor":
            executors.build({"kind": "threads", name: value})
        elif place == "" and name in _SIZES:
            build.sizes({name: value}, (name,))
    except ValueError as error:
        return str(error)
    return None


_SIZES = ("horizon", "runs", "run", "rows", "seed")
_KINDS = {
    "Integer": "a whole number", "Float": "a number", "Boolean": "true or false", "String": "a text",
    "ListConfig": "a list, such as [a,b]",
}  # fmt: skip


def _in_digits(value: str) -> str:
    """Say how a whole number that was written as 1e4 is written."""
    try:
        number = float(value)
    except ValueError:
        return ""
    if not number.is_integer():
        return ""
    return f"written in digits ({number:.0f})" if abs(number) < 1e15 else "written in digits"


def _allowed(cause: BaseException | None, key: str) -> str:
    """Say which keys there are where an unknown one was given."""
    try:
        known = [str(name) for name in getattr(cause, "parent_node", None)]  # type: ignore[union-attr]
    except TypeError:
        return f"{key} is no key here; see python -m experiments.run --help"
    return unknown(key, known)


def _one_line(text: str) -> str:
    return " ".join(text.split())
