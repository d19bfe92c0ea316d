"""A sweep of best-arm identification: errors, or pulls until sure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from experiments.engine.manifest import read_manifest
from experiments.engine.sweep.table import TABLE, Quantity, Setting, Sweep, join
from experiments.kinds.identification import sheets
from numerics.output.sheets import Column, Facts, Sheet, word

if TYPE_CHECKING:
    import pandas as pd


def _is_fixed(table: pd.DataFrame) -> bool:
    """Return whether every replication had as many pulls as its budget."""
    return bool(table["met_cap"].min() == 1.0)


def _replications(table: pd.DataFrame) -> str:
    fewest, most = table["runs"].min(), table["runs"].max()
    return f"{fewest:,} replications" if fewest == most else f"{fewest:,} to {most:,} replications"


_EXACT, _OF_MEAN = "whiskers: 95 % intervals (Clopper-Pearson)", "mean with 95 % interval"


def _title_of(table: pd.DataFrame, settings: Sequence[Setting]) -> str:
    facts = read_manifest(settings[0].folders[0]) or {}
    return f"{'Errors' if _is_fixed(table) else 'Pulls until sure'}: {facts['arms'].get('title', '')}"


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    swept = [word(key) for key in facts["varied"] if key in frame and key != "policy"]
    run = (read_manifest(facts["jobs"][0].folder) or {}) | dict(facts)
    return [*swept, *(column for column in sheets.columns(frame, run) if column.head != "formula")]


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    return f"{_replications(frame)}; wrong: with Clopper and Pearson's interval"


SWEEP = Sweep(
    lambda settings: join(settings, "summary.csv"),
    (
        Quantity("errors", "wrong", "wrong arm (%)", _EXACT, _replications, scale=100.0, when=_is_fixed),
        Quantity("pulls", "pulls_mean", "pulls until sure", _OF_MEAN, _replications, when=lambda of: not _is_fixed(of)),
    ),
    _title_of,
    sheets=(Sheet(TABLE, _title, _columns),),
)
