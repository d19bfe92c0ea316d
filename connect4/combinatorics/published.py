"""Published numbers of positions, to compare estimates with on boards too large to walk.

Distinct positions of Connect 4 with four in a row, including the empty board and the final positions; a won game is not
extended. By board: John Tromp's Connect Four page (tromp.github.io/c4/c4.html), extended by M. Böck, arXiv 2507.05267
(2025). 7 x 6 by ply: Böck, and OEIS A212693. The table is published.csv; a row without a ply is a board's total.
"""

from __future__ import annotations

import csv
import functools
from pathlib import Path


@functools.cache
def _numbers() -> dict[tuple[int, int], dict[str, int]]:
    """Return the numbers of each board, (width, height), by ply; "" is the total."""
    numbers: dict[tuple[int, int], dict[str, int]] = {}
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            numbers.setdefault((int(row["width"]), int(row["height"])), {})[row["ply"]] = int(row["positions"])
    return numbers


def positions(width: int, height: int, connect: int) -> int | None:
    """Return the published number of distinct positions of a board; None if there is none.

    Examples
    --------
    >>> positions(7, 6, 4), positions(9, 9, 4)
    (4531985219092, None)
    """
    return _numbers().get((width, height), {}).get("") if connect == 4 else None


def positions_by_ply(width: int, height: int, connect: int) -> tuple[int, ...] | None:
    """Return the published numbers of a board by ply, from 0 on; None if there are none.

    Examples
    --------
    >>> sum(positions_by_ply(7, 6, 4)) == positions(7, 6, 4)
    True
    """
    known = _numbers().get((width, height), {}) if connect == 4 else {}
    return tuple(number for ply, number in known.items() if ply) or None
