"""The table of measurements, for a terminal and for a page of Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.calibration.claim import AT_MOST
from experiments.engine.store import write_text
from numerics.output.sheets import Column, Facts, Sheet, word
from numerics.output.style import number

if TYPE_CHECKING:
    import pandas as pd

_KEYS = 3  # columns that identify a row


def _title(rows: pd.DataFrame, facts: Facts) -> str:
    runs = ", ".join(f"{count:,}" for count in sorted(rows["runs"].unique()))
    return f"{runs} simulated experiments each; measured: coverage, of tests the rate of errors"


def _short(name: str) -> Column:
    return Column(name, lambda row: number(row[name], 3) if math.isfinite(row[name]) else "-")


_COLUMNS = (
    word("claim"),
    word("printed by", "command"),
    Column("size", lambda row: f"{row['size']:,} {row['unit']}"),
    Column("claimed", lambda row: f"{row['bound']} {100 * row['nominal']:g} %".lstrip()),
    Column("measured", lambda row: f"{100 * row['rate']:.1f} ± {100 * row['error']:.1f} %"),
    Column(
        "above / below",
        lambda row: "-" if row["bound"] == AT_MOST else f"{100 * row['above']:.1f} / {100 * row['below']:.1f}",
    ),
    _short("width"),
    _short("bias"),
    word("verdict"),
)
SHEET = Sheet("", _title, _COLUMNS)  # of the rows of `experiments.calibration.measure.measured`


def update(page: Path, rows: pd.DataFrame) -> None:
    """Update the table of a page: replace rows of the same claim and size, and append new ones.

    Raises
    ------
    ValueError
        See `lines_of`.
    """
    lines = lines_of(page)
    begin = lines.index(_HEADS) + 2  # after the line under the heads
    end = begin
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    (filled,) = SHEET.of(rows)
    kept = {tuple(line.split(" | ")[:_KEYS]): line for line in [*lines[begin:end], *map(_line, filled.cells)]}
    write_text(page, "\n".join([*lines[:begin], *kept.values(), *lines[end:]]) + "\n")


def lines_of(page: Path) -> list[str]:
    """Return the lines of a page.

    Raises
    ------
    ValueError
        The page has no table with these heads.
    """
    lines = page.read_text(encoding="utf-8").splitlines()
    if _HEADS not in lines:
        raise ValueError(f"page {str(page)!r}: it must have a table with the heads {_HEADS}; got none")
    return lines


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


_HEADS = _line(column.head for column in _COLUMNS)
