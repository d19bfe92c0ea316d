"""How things are printed: the console, sentences, filled sheets."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from numerics.checks import escape_controls
from numerics.output.sheets import Filled

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH_OF_A_FILE = 150  # where the output is no terminal, columns are not squeezed
_muted = False


def console() -> Console:
    """Return a console on standard output as it is now."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _WIDTH_OF_A_FILE
    return Console(file=sys.stdout, width=width, highlight=False, emoji=False, quiet=_muted)


@contextlib.contextmanager
def mute() -> Iterator[None]:
    """Print nothing inside: a sweep prints one line per run and one table at its end."""
    global _muted
    before, _muted = _muted, True
    try:
        yield
    finally:
        _muted = before


def say(sentence: str) -> None:
    """Print a sentence as it is, but for characters that act on a terminal, such as a file's name may have."""
    console().print("\n".join(map(escape_controls, sentence.split("\n"))), markup=False, soft_wrap=True)


def say_screen(lines: Iterable[str]) -> None:
    """Print lines with colour codes, which are left out where the output shows no colours."""
    from rich.text import Text

    console().print(Text.from_ansi("\n".join(lines)), soft_wrap=True)


def show(filled: Filled) -> None:
    """Print a filled sheet as wide as the terminal."""
    out = console()
    for part in filled.terminal(out.width):
        out.print(part)
