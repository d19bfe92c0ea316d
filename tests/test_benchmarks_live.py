"""The steps that the benchmark of live agents times: each learns which arm pays, and what is missing is named."""

from __future__ import annotations

import pytest

from benchmarks import live_rows
from benchmarks.live_peers import ARMS, PAIRS, PAYS, Step, step_of
from benchmarks.live_rows import agent_step

SLOW = "bayesianbandits"  # takes seconds


def assert_learns(step: Step) -> None:
    arms = [step() for _ in range(1_000)]
    assert set(arms) <= set(range(ARMS))
    assert arms[700:].count(PAYS) > 200


@pytest.mark.parametrize(
    ("policy", "library"),
    [pytest.param(*pair, marks=pytest.mark.long if SLOW in pair else []) for pair in PAIRS],
)
def test_a_library_learns_which_arm_pays(policy: str, library: str):
    pytest.importorskip(library)
    assert_learns(step_of(library, policy))


@pytest.mark.parametrize(("policy", "read"), [("ucb", False), ("epsilon_greedy", True), ("thompson", True)])
def test_an_agent_learns_which_arm_pays(policy: str, read: bool):
    assert_learns(agent_step(policy, read))


def test_every_policy_stands_beside_every_library():
    libraries = {library for _, library in PAIRS}
    assert set(PAIRS) == {(policy, library) for policy in live_rows.WANTED for library in libraries}


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch):
    def missing(library: str, policy: str) -> None:
        raise ImportError(f"{library} is not installed")

    monkeypatch.setattr(live_rows, "step_of", missing)
    for measured in ("journal_rows", "service_rows"):
        monkeypatch.setattr(live_rows, measured, lambda size: iter(()))
    rows = list(live_rows.live_rows(live_rows.Size(0.01, 1, 100)))
    missed = [f"{library} is not installed" for _, library in PAIRS]
    assert [row.skipped for row in rows if row.skipped] == [*missed, "gittins is not installed"]
    assert len(rows) == len(live_rows.WANTED) + len(missed) + 2 + len(live_rows.PROPENSITIES)
