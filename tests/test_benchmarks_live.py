"""The benchmark of live agents: other libraries learn in it, and its rows say what is not installed."""

from __future__ import annotations

import pytest

from benchmarks import live_rows
from benchmarks.live_peers import ARMS, LIBRARIES, PAYS, step_of
from benchmarks.live_rows import agent_step


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_learns_which_arm_pays(library: str):
    pytest.importorskip(library)
    step = step_of(library)
    arms = [step() for _ in range(600)]
    assert set(arms) <= set(range(ARMS))
    assert arms[300:].count(PAYS) > 150


def test_an_agent_learns_which_arm_pays():
    step = agent_step("thompson")
    assert [step() for _ in range(400)][200:].count(PAYS) > 150


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch):
    def missing(library: str) -> None:
        raise ImportError(f"{library} is not installed")

    monkeypatch.setattr(live_rows, "step_of", missing)
    monkeypatch.setattr(live_rows, "journal_rows", lambda size: iter(()))
    rows = list(live_rows.live_rows(live_rows.Size(0.01, 1)))
    assert [row.skipped for row in rows if row.skipped] == [f"{library} is not installed" for library in LIBRARIES]
    assert len(rows) == len(live_rows.WANTED) + len(LIBRARIES) + 1
