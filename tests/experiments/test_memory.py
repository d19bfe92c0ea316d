"""The tables of many replications are made a part at a time."""

from __future__ import annotations

import tracemalloc

import pytest

from experiments.replications import shards
from numerics.output import tables

LAID_OUT = ("horizon=40", "arms.means=[0.4,0.6]", "figures=false", "executor=serial")


@pytest.fixture
def peak(command, monkeypatch):
    """Return the most bytes that a run of some replications had in memory, with budgets a hundredth of the usual."""
    monkeypatch.setattr(shards, "_MOST_KEPT", 80_000)
    monkeypatch.setattr(shards, "_ROOM", 4_000_000)
    monkeypatch.setattr(tables, "_ROW_GROUP", 10_000)

    def peak(runs, *more):
        tracemalloc.start()
        try:
            command(*LAID_OUT, *more, f"runs={runs}")
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    command(*LAID_OUT, "experiment=comparison", "bandits=[ucb,moss]", "runs=10")  # compiled, imported
    return peak


@pytest.mark.long
def test_the_tables_of_many_replications_are_never_in_memory_as_a_whole(peak):
    held = 20_000 * 40 * 33  # bytes that all replications of one policy kept
    assert peak(20_000, "experiment=comparison", "bandits=[ucb,moss]") < 0.4 * held
