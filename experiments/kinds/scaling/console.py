"""What the scaling of regret prints: a row a policy, a column for each number that was varied."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine.console import console, say_places
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


def say_results(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the slopes, and where tables and figures lie."""
    found = tables.read(folder / "slopes.csv")
    if len(found):
        console().print(slopes_table(found))
    say_places(folder)


def slopes_table(frame: pd.DataFrame) -> Table:
    """Return the printed form of slopes.csv."""
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title="b of a line fitted to the regret R; in brackets: 95 % intervals of b, were the law true",
        title_justify="left",
    )
    table.add_column("policy", overflow="fold")
    laws = dict(zip(frame["varied"], frame["law"], strict=True))
    for varied, law in laws.items():
        table.add_column(f"{varied}: {law}", justify="right", overflow="fold")
    for label, own in frame.groupby("policy", sort=False):
        numbers = own.set_index("varied")[["slope", "ci_low", "ci_high"]].reindex(list(laws)).to_numpy(float)
        table.add_row(Text(str(label)), *(f"{b:.3g} ({low:.3g} to {high:.3g})" for b, low, high in numbers))
    return table
