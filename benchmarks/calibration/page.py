"""The tables of measurements, for a terminal and for a page of Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.calibration.claim import AT_MOST
from experiments.engine.store import write_text
from numerics.output.sheets import Column, Facts, Row, Sheet, word
from numerics.output.style import number

if TYPE_CHECKING:
    import pandas as pd


def _title(rows: pd.DataFrame, facts: Facts) -> str:
    return f"{_experiments(rows)} each; measured: coverage, of tests the rate of errors"


def _title_of_families(rows: pd.DataFrame, facts: Facts) -> str:
    return f"where claims hold least, of tests where they err most; {_experiments(rows)} of the lowest"


def _experiments(rows: pd.DataFrame) -> str:
    return f"{', '.join(f'{count:,}' for count in sorted(rows['runs'].unique()))} simulated experiments"


def _short(name: str) -> Column:
    return Column(name, lambda row: number(row[name], 3) if math.isfinite(row[name]) else "-")


def _measured(row: Row) -> str:
    return f"{100 * row['rate']:.1f} ± {100 * row['error']:.1f} %"


def _where(row: Row) -> str:
    return f"{row['where']}, {row['size']:,} {row['unit']}"


_CLAIMED = Column("claimed", lambda row: f"{row['bound']} {100 * row['nominal']:g} %".lstrip())
_SIDES = Column(
    "above / below",
    lambda row: "-" if row["bound"] == AT_MOST else f"{100 * row['above']:.1f} / {100 * row['below']:.1f}",
)
_COLUMNS = (
    word("claim"),
    word("printed by", "command"),
    Column("size", lambda row: f"{row['size']:,} {row['unit']}"),
    _CLAIMED,
    Column("measured", _measured),
    _SIDES,
    _short("width"),
    _short("bias"),
    word("verdict"),
)
_OF_FAMILIES = (
    word("claim"),
    word("printed by", "command"),
    Column("settings", lambda row: f"{row['settings']:,}"),
    _CLAIMED,
    Column("mean", lambda row: f"{100 * row['mean']:.1f} %"),
    Column("worst", _measured),
    _SIDES,
    Column("where", _where, number=False),
    word("verdict"),
)
SHEET = Sheet("", _title, _COLUMNS)  # of the rows of `benchmarks.calibration.measure.measured`
FAMILIES = Sheet("", _title_of_families, _OF_FAMILIES)  # of those of `searched`
_HEADS = {SHEET: [column.head for column in _COLUMNS], FAMILIES: [column.head for column in _OF_FAMILIES]}
_KEYS = {SHEET: 3, FAMILIES: 2}  # columns that identify a row


def update(page: Path, sheet: Sheet, rows: pd.DataFrame) -> None:
    """Update a table of a page: replace rows of the same claim (and size), and append new ones.

    Raises
    ------
    ValueError
        See `lines_of`.
    """
    lines = lines_of(page)
    begin = lines.index(_line(_HEADS[sheet])) + 2  # after the line under the heads
    end = begin
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    (filled,) = sheet.of(rows)
    known = [*lines[begin:end], *map(_line, filled.cells)]
    kept = {tuple(line.split(" | ")[: _KEYS[sheet]]): line for line in known}
    write_text(page, "\n".join([*lines[:begin], *kept.values(), *lines[end:]]) + "\n")


def lines_of(page: Path) -> list[str]:
    """Return the lines of a page.

    Raises
    ------
    ValueError
        The page lacks one of the two tables.
    """
    lines = page.read_text(encoding="utf-8").splitlines()
    for heads in map(_line, _HEADS.values()):
        if heads not in lines:
            raise ValueError(f"page {str(page)!r}: it must have a table with the heads {heads}; got none")
    return lines


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
