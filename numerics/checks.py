"""Sentences for bad input: each names the argument, the value received and what is allowed."""

from __future__ import annotations

import contextlib
import math
import numbers
import re
from collections.abc import Iterator, Mapping
from typing import Any
from unicodedata import category

import numpy as np
import numpy.typing as npt

_SHOWN = 60  # characters of a value that a sentence shows
_LONGEST_WORD = 300  # of a sentence: a path
_ACTING = ("Cc", "Cf", "Cs", "Zl", "Zp")  # Unicode's classes of invisible characters: controls, formats, line breaks


@contextlib.contextmanager
def prefix_errors(key: str) -> Iterator[None]:
    """Put a configuration key before the argument that a library error begins with: `c must` -> `bandit.c must`."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{key}.{error}") from None  # the sentence says all; a traceback of both is a page


def accept_any(name: str, value: Any) -> Any:
    """Return the value of a parameter that is checked later, where it is used, such as a file's name."""
    return value


def number(
    name: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    above: bool = False,
    below: bool = False,
    most: float = math.inf,
) -> float:
    """Return `value` as a float if it is a finite number of [low, high].

    `above` excludes `low` itself, `below` excludes `high`.

    `most` bounds its size by the limits of the machine; the message names it only if the value exceeds it.

    Raises
    ------
    ValueError
        One sentence that begins with the argument's name.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ValueError(f"{name} must be a number{interval(low, high, above, below)}; got {show(value)}")
    try:
        real = float(value)
    except OverflowError:
        real = math.inf
    excluded = (above and real == low) or (below and real == high)
    if not math.isfinite(real) or real < low or real > high or excluded:
        raise ValueError(f"{name} must be a finite number{interval(low, high, above, below)}; got {_digits(value)}")
    if abs(real) > most:
        raise ValueError(f"{name} must be a number of at most {most:g} in absolute value; got {_digits(value)}")
    return real


def number_list(name: str, value: Any) -> tuple[float, ...]:
    """Return a list of finite numbers, such as those of a user's rule, as floats.

    Raises
    ------
    ValueError
        One sentence that begins with the argument's name, and where it is, the place in the list.

    Examples
    --------
    >>> number_list("params", [2, 0.5])
    (2.0, 0.5)
    """
    try:
        entries = None if isinstance(value, str | bytes | Mapping) else list(value)
    except TypeError:  # no iterable, or an array without a dimension
        entries = None
    if entries is None:
        raise ValueError(f"{name} must be a list of numbers; got {show(value)}")
    return tuple(number(f"{name}[{index}]", entry) for index, entry in enumerate(entries))


def numbers_in(name: str, value: Any) -> npt.NDArray[np.float64]:
    """Return a number, or an array or nested list of numbers, as an array of float64; NaN and inf are allowed.

    Examples
    --------
    >>> numbers_in("p", [1, 0.5]).tolist()
    [1.0, 0.5]
    """
    try:
        array = np.asarray(value)
        if array.dtype.kind in "biuf" or array.size == 0:
            return array.astype(np.float64)
    except (TypeError, ValueError):  # lists of different lengths, or an object that is no array
        pass
    raise ValueError(f"{name} must be a number or an array of numbers; got {show(value)}")


def check_whole(name: str, value: Any, low: int, high: int | None = None, *, most: int | None = None) -> int:
    """Return `value` as an int if it is a whole number of at least `low` (and at most `high`).

    `most` bounds it by the limits of the machine, not of the problem; the message names it only if the value exceeds
    it.
    """
    allowed = f"of at least {low}" if high is None else f"from {low} to {high}"
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise ValueError(f"{name} must be a whole number {allowed}; got {show(value)}")
    count = int(value)
    if most is not None and count > most:
        raise ValueError(f"{name} must be a whole number of at most {most}; got {_digits(count)}")
    if count < low or (high is not None and count > high):
        raise ValueError(f"{name} must be a whole number {allowed}; got {_digits(count)}")
    return count


def interval(low: float, high: float, above: bool, below: bool = False) -> str:
    """Return a range in words, to follow a noun; an empty text if there is no range.

    Examples
    --------
    >>> interval(0.0, 1.0, above=True), interval(1, math.inf, above=False)
    (' above 0 and at most 1', ' of at least 1')
    >>> interval(0.0, 1.0, above=True, below=True)
    ' above 0 and below 1'
    """
    if not math.isfinite(low):
        return ""
    least, most = "above" if above else "of at least", "below" if below else "at most"
    if not math.isfinite(high):
        return f" {least} {low:g}"
    return f" {least} {low:g} and {most} {high:g}" if above or below else f" from {low:g} to {high:g}"


def show(value: Any) -> str:
    """Return a value as error messages show it: on one line, and shortened.

    Examples
    --------
    >>> show([0] * 1_000)
    '[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,...'
    """
    try:
        text = escape_controls(" ".join(repr(value).split()))
    except Exception:  # of a class of the caller's, or a number with more digits than Python writes
        return f"an object of {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _digits(value: Any) -> str:
    """Return a number, or its size where it has too many digits to show."""
    if isinstance(value, int) and abs(value) >= 10**_SHOWN:
        return f"a number of {int(value.bit_length() * math.log10(2.0)) + 1} digits"
    return str(value)


def shorten(text: str) -> str:
    """Return a sentence with long words shortened, such as a value of 5,000 characters.

    Examples
    --------
    >>> shorten("label must be short; got " + "x" * 5_000)
    'label must be short; got xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... (5000 signs)'
    """
    return re.sub(rf"\S{{{_LONGEST_WORD},}}", lambda word: f"{word[0][:60]}... ({len(word[0])} signs)", text)


def escape_controls(text: str) -> str:
    r"""Return a text with control and format characters as escapes, so that none acts on a terminal.

    Examples
    --------
    >>> escape_controls("red " + chr(27) + "[31m café")
    'red \\x1b[31m café'
    """
    shown = (item if category(item) not in _ACTING else item.encode("unicode_escape").decode() for item in text)
    return text if text.isprintable() else "".join(shown)
