"""How people read a trace: its steps, the first and the last, with a column an arm; and what it is a trace of."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from numerics.output import tables
from numerics.output.sheets import Column, Facts, Row, Sheet, number

if TYPE_CHECKING:
    import pandas as pd

_NAME = 16  # characters of an arm's name above its column
_PULLED, _NEVER = "*", "-"


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say which policy played, and the true means."""
    means = ", ".join(f"{mean:.4g}" for mean in facts["means"])
    return [f"{facts['policy']}; means of replication {facts['run']}: {means}"]


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return the first and the last steps, `facts["rows"]` in all; `half` says which of the two."""
    steps, rows = tables.read(folder / "steps.parquet"), facts["rows"]
    half = (steps.index >= (rows + 1) // 2).astype(int) if len(steps) > rows else 0
    kept: pd.DataFrame = steps.assign(half=half, steps=len(steps))[
        (half == 0) | (steps.index >= len(steps) - rows // 2)
    ]
    return kept


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    indices = frame[[f"index_{arm}" for arm in range(len(facts["arms"]["names"]))]].to_numpy()
    what = "mean" if np.isnan(indices).all() else "mean and index"
    low = ", low: an index of -inf" if np.isneginf(indices).any() else ""
    all_steps = frame["steps"].iloc[0]
    ends = f"; the first and last {len(frame)} of {all_steps:,} steps" if len(frame) < all_steps else ""
    return f"{what} before the pull; {_PULLED} pulled, {_NEVER} not pulled yet{low}{ends}"


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    arms = [
        Column(_head(arm, name), functools.partial(_cell, arm=arm), f"mean_{arm}")
        for arm, name in enumerate(facts["arms"]["names"])
    ]
    return [
        number("t", form=""),
        number("arm", form=""),
        number("reward", form="g"),
        number("regret", "pseudo_regret", ".2f"),
        *arms,
    ]


def _head(arm: int, name: str) -> str:
    """Return the number that the column "arm" holds, with the arm's name where it has another one."""
    short = name if len(name) <= _NAME else f"{name[: _NAME - 3]}..."
    return f"arm {arm}" if name == str(arm) else f"arm {arm} {short}"


def _cell(row: Row, arm: int) -> str:
    """Return the arm's mean, and its index where the policy computed one, with a sign where the arm is pulled."""
    mean, index = row[f"mean_{arm}"], row[f"index_{arm}"]
    parts = [f"{mean:.2f}" if row[f"pulls_{arm}"] else _NEVER]
    if not np.isnan(index):
        parts.append("low" if np.isneginf(index) else f"{index:.2f}")
    return (_PULLED if arm == row["arm"] else "") + " ".join(parts)


STEPS = Sheet("steps.csv", _title, _columns, read=_read, group=lambda row: row["half"], leading=4)
