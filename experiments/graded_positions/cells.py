"""Printed cells of what moves in graded positions are worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from experiments.engine import console as report


def players_table(players: Iterable[str], title: str, *columns: str) -> Any:
    """Return an empty table of players with a title and these further columns."""
    from rich.table import Table

    table = Table(title=report.text(title), title_justify="left")
    report.add_names(table, "player", players)
    for name in columns:
        table.add_column(name, justify="right")
    return table


def kept_cell(row: Mapping[Any, Any]) -> str:
    """Write how often the value is kept, in %, with its interval."""
    return percent_cell(row, "keeps_value")


def percent_cell(row: Mapping[Any, Any], name: str) -> str:
    """Write a rate in %, with its interval."""
    return f"{100 * row[name]:.1f} ({100 * row[f'{name}_low']:.1f} to {100 * row[f'{name}_high']:.1f})"


def loss_cell(row: Mapping[Any, Any]) -> str:
    """Write the mean loss with its interval."""
    return f"{row['loss']:.2f} ({row['loss_low']:.2f} to {row['loss_high']:.2f})"
