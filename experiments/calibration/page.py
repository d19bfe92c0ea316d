"""The table of measurements, for a terminal and for a page of Markdown."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.calibration.claim import AT_MOST
from experiments.engine.store import write_text
from numerics.output.style import number

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

HEADS = ("claim", "printed by", "size", "claimed", "measured", "above / below", "width", "bias", "verdict")
_WORDS = 2  # columns of words, before the columns of numbers
_KEYS = 3  # columns that identify a row


def cells(row: Any) -> tuple[str, ...]:
    """Return the cells of a row of `experiments.calibration.measure.measured`."""
    claimed = f"{row.bound} {100 * row.nominal:g} %".lstrip()
    missed = "-" if row.bound == AT_MOST else f"{_percent(row.above)} / {_percent(row.below)}"
    measured = f"{_percent(row.rate)} ± {_percent(row.error)} %"
    size = f"{row.size:,} {row.unit}"
    return row.claim, row.command, size, claimed, measured, missed, _number(row.width), _number(row.bias), row.verdict


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _number(value: float) -> str:
    return number(value, 3) if math.isfinite(value) else "-"


def printed(rows: pd.DataFrame) -> Table:
    """Return the table for a terminal."""
    from rich.table import Table

    runs = ", ".join(f"{count:,}" for count in sorted(rows["runs"].unique()))
    table = Table(title=f"{runs} simulated experiments each; measured: coverage, of tests the rate of errors")
    for index, head in enumerate(HEADS):
        table.add_column(head, justify="left" if index < _WORDS else "right", overflow="fold")
    for row in rows.itertuples():
        table.add_row(*cells(row))
    return table


def update(page: Path, rows: pd.DataFrame) -> None:
    """Update the table of a page: replace rows of the same claim and size, and append new ones.

    Raises
    ------
    ValueError
        See `lines_of`.
    """
    lines = lines_of(page)
    begin = lines.index(_line(HEADS)) + 2  # after the line under the heads
    end = begin
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    kept = {_key(line): line for line in lines[begin:end]}
    for row in rows.itertuples():
        line = _line(cells(row))
        kept[_key(line)] = line
    write_text(page, "\n".join([*lines[:begin], *kept.values(), *lines[end:]]) + "\n")


def lines_of(page: Path) -> list[str]:
    """Return the lines of a page.

    Raises
    ------
    ValueError
        The page has no table with these heads.
    """
    lines = page.read_text(encoding="utf-8").splitlines()
    if _line(HEADS) not in lines:
        raise ValueError(f"page {str(page)!r}: it must have a table with the heads {', '.join(HEADS)}; got none")
    return lines


def _line(row: tuple[str, ...]) -> str:
    return f"| {' | '.join(row)} |"


def _key(line: str) -> tuple[str, ...]:
    return tuple(line.split(" | ")[:_KEYS])
