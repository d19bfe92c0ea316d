"""The tables of many replications are made a part at a time."""

from __future__ import annotations

import tracemalloc

import pytest

from experiments.replications import shards
from numerics.output import tables

LAID_OUT = ("experiment=comparison", "bandits=[ucb,moss]", "horizon=40", "arms.means=[0.4,0.6]", "executor=serial")


@pytest.mark.long
def test_the_tables_of_many_replications_are_never_in_memory_as_a_whole(command, monkeypatch):
    """With budgets that are a hundredth of the usual."""
    monkeypatch.setattr(shards, "_MOST_KEPT", 80_000)
    monkeypatch.setattr(shards, "_ROOM", 4_000_000)
    monkeypatch.setattr(tables, "_ROW_GROUP", 10_000)
    command(*LAID_OUT, "runs=10")  # compiled, imported
    tracemalloc.start()
    try:
        command(*LAID_OUT, "runs=20000")
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    held = 20_000 * 40 * 33  # bytes that all replications of one policy kept
    assert most < 0.4 * held
