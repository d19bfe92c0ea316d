"""Tables that are measured once: stored in a file, and read if they are there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd


def stored(path: Path, measure: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    """Return the table of a file, which is measured and written if it is not there."""
    if path.is_file():
        return tables.read(path)
    table = measure()
    path.parent.mkdir(parents=True, exist_ok=True)
    tables.write(table, path)
    return table
