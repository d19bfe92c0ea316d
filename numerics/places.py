"""Places of errors in a user's file: the file, the line and its text, for error messages."""

from __future__ import annotations

import linecache
import os
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numerics.kernels.sources import PACKAGES, is_of_a_library, package_of

_LONGEST = 100  # characters of a line of source that are shown


def quote_line(file: str, line: int, word: str = "line") -> str:
    """Return a line of a file and its text; of a cell in a notebook, which is no file, the line alone.

    Examples
    --------
    >>> quote_line(__file__, 1)[:36]
    'places.py, line 1: \"\"\"Places of erro'
    """
    text = linecache.getline(file, line).strip()
    shown = f"{text[:_LONGEST]}{'...' * (len(text) > _LONGEST)}"
    name = f"{Path(file).name}, " if os.path.isfile(file) else ""
    return f"{name}{word} {line}{': ' * bool(shown)}{shown}"


def is_of_a_user(file: str) -> bool:
    """Return whether a file, or a cell of a notebook, is neither a library's nor this project's."""
    return not (is_ours(file) or is_of_a_library(Path(file).resolve()) or file.startswith(("<frozen", "<string")))


def is_ours(file: str) -> bool:
    """Return whether a file lies in a package of this project."""
    return package_of(Path(file).resolve()) is not None


def place_of(error: BaseException, function: Callable[..., Any] | None = None) -> str:
    """Return the user's line at which an exception was raised; if none is known, where `function` begins, if given."""
    frames = traceback.extract_tb(error.__traceback__)
    users = [quote_line(frame.filename, frame.lineno or 1) for frame in frames if is_of_a_user(frame.filename)]
    if users:
        return users[-1]
    return start_of(function) if function is not None else ""


def start_of(function: Callable[..., Any]) -> str:
    """Return where a user's function begins, to say where what has no line of its own was raised.

    Examples
    --------
    >>> start_of(failure).partition(": ")[2]
    'def failure(error: BaseException, function: Callable[..., Any] | None = None) -> str:'
    """
    code = function.__code__
    file, line = code.co_filename, code.co_firstlineno
    while linecache.getline(file, line).lstrip().startswith("@"):
        line += 1
    return quote_line(file, line, "from line")


def failure(error: BaseException, function: Callable[..., Any] | None = None) -> str:
    """Return an exception's kind and text on one line, and the user's line at which it was raised, if one is known.

    If none is, it is said where `function` begins.

    Examples
    --------
    >>> failure(KeyError("state"))
    "KeyError: 'state'"
    """
    try:
        text = str(error)
    except Exception:  # of a user's class
        text = ""
    reason = " ".join(f"{type(error).__name__}: {text}".split()).removesuffix(":")
    where = place_of(error, function)
    return f"{reason} ({where})" if where else reason


def is_a_stop(error: BaseException) -> bool:
    """Return whether an exception in a user's code is to pass: Ctrl-C, or one that this project raises to stop it.

    Examples
    --------
    >>> is_a_stop(KeyboardInterrupt()), is_a_stop(SystemExit()), is_a_stop(ValueError())
    (True, False, False)
    """
    return isinstance(error, KeyboardInterrupt) or (
        not isinstance(error, Exception) and type(error).__module__.partition(".")[0] in PACKAGES
    )


def syntax_place(error: SyntaxError) -> str:
    """Return the line and the file of a syntax error, and what is wrong there.

    Examples
    --------
    >>> try:
    ...     compile("y = (", "mine.py", "exec")
    ... except SyntaxError as error:
    ...     syntax_place(error)
    "line 1 of mine.py: '(' was never closed: y = ("
    """
    text = " ".join((error.text or "").split())[:_LONGEST]
    if error.filename is None:  # of a file with a NUL
        return f"its file: {error.msg}"
    where = f"line {error.lineno or 1} of {Path(error.filename).name}"
    return f"{where}: {error.msg}{': ' * bool(text)}{text}"
