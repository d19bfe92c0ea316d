"""Printing: the console, sentences, and the cells that tables share."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_WIDTH_OF_A_FILE = 150  # where the output is no terminal, columns are not squeezed
_LONG_NAME = 28  # letters of a name from which it is wrapped on a narrow terminal
_muted = False


def console(*, error: bool = False) -> Console:
    """Return a console on standard output or standard error as it is now."""
    from rich.console import Console

    stream = sys.stderr if error else sys.stdout
    width = None if stream.isatty() else _WIDTH_OF_A_FILE
    return Console(file=stream, width=width, highlight=False, emoji=False, quiet=_muted)


def print_fitted(table: Callable[[Sequence[str]], Table], optional: Sequence[str]) -> None:
    """Print a table, on a narrow terminal without as many of its optional columns as it takes, and name these.

    `table` makes it, without the columns that it is given; its columns know how narrow they may become.
    """
    out, left_out = console(), list[str]()
    free = out.options.update(max_width=10_000)
    for name in optional:
        if out.measure(table(left_out), options=free).minimum <= out.width:
            break
        left_out.append(name)
    out.print(table(left_out))
    if left_out:
        say(f"not printed on {out.width} columns, but in the table: {', '.join(left_out)}")


@contextlib.contextmanager
def muted() -> Iterator[None]:
    """Print nothing inside: a sweep prints one line per run and one table at its end."""
    global _muted
    before, _muted = _muted, True
    try:
        yield
    finally:
        _muted = before


def say(sentence: str) -> None:
    """Print a sentence as it is."""
    console().print(sentence, markup=False, soft_wrap=True)


def say_screen(lines: Iterable[str]) -> None:
    """Print lines that hold a terminal's codes of colours, which are left out where the output shows none."""
    from rich.text import Text

    console().print(Text.from_ansi("\n".join(lines)), soft_wrap=True)


def is_muted() -> bool:
    """Whether nothing is printed, as inside `muted`."""
    return _muted


def add_names(table: Table, head: str, names: Iterable[object]) -> None:
    """Add a column of names, which keep to one line on a narrow terminal unless one of them is long."""
    most = max((len(str(name)) for name in names), default=0)
    table.add_column(text(head), overflow="fold", no_wrap=most <= _LONG_NAME)


def say_places(folder: Path) -> None:
    """Say where the tables and figures of a run lie."""
    say(f"tables: {folder}")
    figures = folder / "figures"
    say(
        f"figures: {figures}"
        if figures.is_dir()
        else f"figures: not drawn; python -m experiments.plot {folder} draws them"
    )


def p_text(value: float) -> str:
    """Write a p-value without pretending to more digits than it has."""
    return "-" if value != value else "< 0.0001" if value < 1e-4 else f"{value:.4f}"


def text(value: object) -> Any:
    """Return a cell that is printed as it is, whatever brackets it holds."""
    from rich.text import Text

    return Text(str(value))
