"""What a trace prints: a table of its steps, as wide as there is room."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.engine.console import console, say, text
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd

_NAME = 16  # characters of an arm's name above its column
_PULLED, _NEVER = "*", "-"
_BORDER = 3  # characters of a column besides its text


def say_steps(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the policy, the true means, the steps, and where the table and the figure lie."""
    means = ", ".join(f"{mean:.4g}" for mean in facts["means"])
    say(f"{facts['policy']}; means of replication {facts['run']}: {means}")
    steps = tables.read(folder / "steps.parquet")
    for part in _printed(steps, facts["arms"]["names"], facts["rows"], console().width):
        console().print(part)
    say(f"steps: {folder / 'steps.csv'}")
    say(f"figures: {folder / 'figures'}")


def _printed(table: pd.DataFrame, names: Sequence[str], rows: int, width: int) -> Iterator[Any]:
    """Give what the signs mean and the table of `rows` steps, the first and the last, in as many as the width needs."""
    from rich.table import Table

    steps: list[Any] = table.to_dict("records")
    if len(steps) > rows:
        steps[(rows + 1) // 2 : len(steps) - rows // 2] = [None]  # where steps are left out
    heads = [
        _Column("t", steps, lambda step: str(step["t"])),
        _Column("arm", steps, lambda step: str(step["arm"])),
        _Column("reward", steps, lambda step: f"{step['reward']:g}"),
        _Column("regret", steps, lambda step: f"{step['pseudo_regret']:.2f}"),
    ]
    own = [_Column(_head(arm, name), steps, functools.partial(_cell, arm=arm), arm) for arm, name in enumerate(names)]
    indexed = bool(table[[f"index_{arm}" for arm in range(len(names))]].notna().to_numpy().any())
    title = f"{'mean and index' if indexed else 'mean'} before the pull; {_PULLED} pulled, {_NEVER} not pulled yet"
    title += ", low: an index of -inf" if any(cell.endswith("low") for one in own for cell in one.cells) else ""
    yield text(title)
    for part in _fitting(own, width - 1 - sum(column.width for column in heads)):
        printed = Table()
        for column in (*heads, *part):
            printed.add_column(text(column.name), justify="right", no_wrap=True)
        for place, step in enumerate(steps):
            pulled = step and step["arm"]
            cells = [f"[bold]{one.cells[place]}[/bold]" if one.arm == pulled else one.cells[place] for one in part]
            printed.add_row(*(column.cells[place] for column in heads), *cells)
        yield printed


class _Column:
    """A column of the printed table: a name, a cell a step, and the arm that it is about."""

    def __init__(self, name: str, steps: Sequence[Any], told: Callable[[Any], str], arm: int | None = None):
        self.name, self.arm = name, arm
        self.cells = ["..." if step is None else told(step) for step in steps]
        self.width = _BORDER + max(map(len, [name, *self.cells]))


def _fitting(columns: Sequence[_Column], width: int) -> Iterator[list[_Column]]:
    """Cut columns into groups that fit a width, at least one in each."""
    part: list[_Column] = []
    for column in columns:
        if part and sum(one.width for one in (*part, column)) > width:
            yield part
            part = []
        part.append(column)
    yield part


def _head(arm: int, name: str) -> str:
    """Return the number that the column "arm" holds, with the arm's name where it has another one."""
    short = name if len(name) <= _NAME else f"{name[: _NAME - 3]}..."
    return f"arm {arm}" if name == str(arm) else f"arm {arm} {short}"


def _cell(row: Mapping[Any, Any], arm: int) -> str:
    """Return the arm's mean, and its index where the policy computed one, with a sign where the arm is pulled."""
    mean, index = row[f"mean_{arm}"], row[f"index_{arm}"]
    told = [f"{mean:.2f}" if row[f"pulls_{arm}"] else _NEVER]
    if not np.isnan(index):
        told.append("low" if np.isneginf(index) else f"{index:.2f}")
    return (_PULLED if arm == row["arm"] else "") + " ".join(told)
