"""Which choices an agent takes for its own, and what it forgets: in memory and in a database alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bandits import Agent
from tests.refusals import refused

pytestmark = pytest.mark.kernels

ARMS = ["red", "green", "blue"]
Make = Callable[..., Any]


@pytest.fixture(params=["memory", "database"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """What makes agents: in memory, or of new names in one database."""
    names = iter(range(100))

    def in_database(*given: Any, **options: Any) -> Any:
        pytest.importorskip("sqlalchemy")
        return Agent.open(f"sqlite:///{tmp_path / 'shop.db'}", f"agent {next(names)}", *given, **options)

    return Agent if request.param == "memory" else in_database


def test_a_choice_of_another_agent_is_refused_and_changes_nothing(make: Make, tmp_path: Path):
    agent = make("thompson", ARMS, seed=1)
    choices = agent.choose_many(8)
    others = [
        Agent("thompson", ["a", "b"], seed=1),
        Agent("thompson", ARMS, seed=2),
        Agent("ucb", ARMS, seed=1),
        make("thompson", ARMS, seed=3),
    ]
    for other in others:
        for theirs in other.choose_many(8):
            for act in (lambda theirs=theirs: agent.reward(theirs, 1.0), lambda theirs=theirs: agent.forget([theirs])):
                refused(act, "choice")
    assert [choice.id for choice in agent.pending] == list(range(8))
    assert agent.reward(choices[3], 1.0)


def test_agents_of_one_database_tell_their_choices_apart_by_their_names(tmp_path: Path):
    pytest.importorskip("sqlalchemy")
    url = f"sqlite:///{tmp_path / 'shop.db'}"
    one, other = (Agent.open(url, name, "thompson", ARMS) for name in ("one", "other"))
    choice = one.choose()
    other.choose()
    refused(lambda: other.reward(choice, 1.0), "choice")
    with Agent.open(url, "one") as again:
        assert again.reward(choice, 1.0), "it is its own, whoever made it"
    one.close(), other.close()


def test_a_choice_from_before_save_counts_after_load_unless_its_arm_is_another_now(tmp_path: Path):
    agent = Agent("thompson", ARMS, seed=1)
    for _ in range(20):
        agent.reward(agent.choose(), 1.0)
    agent.save(tmp_path / "agent.json")
    last = agent.choose_many(20)
    agent.save(tmp_path / "later.json")
    assert Agent.load(tmp_path / "later.json").reward(last[0], 1.0)
    Agent.load(tmp_path / "later.json").forget(last)
    earlier = Agent.load(tmp_path / "agent.json")
    for _ in range(3):
        earlier.reward(earlier.choose(), 0.0)
    mine = earlier.choose_many(17)
    differing = [theirs for own, theirs in zip(mine, last[3:], strict=True) if own.arm != theirs.arm]
    assert differing
    for theirs in differing:
        refused(lambda theirs=theirs: earlier.reward(theirs, 1.0), "choice")


def test_all_choices_are_forgotten_or_none_and_again_is_no_fault(make: Make):
    agent = make("thompson", ARMS)
    choices = agent.choose_many(6)
    assert agent.reward(choices[5], 1.0), "before those that were chosen earlier"
    for wrong in (0, None, "0", choices[0], [[0]]):
        refused(lambda wrong=wrong: agent.forget(wrong), "choice")
    for last in (99, -1, 5, choices[5]):
        refused(lambda last=last: agent.forget([0, choices[1], last]), "choice")
        assert [choice.id for choice in agent.pending] == [0, 1, 2, 3, 4]
    agent.forget([0, choices[0], 0])
    agent.forget(choice for choice in choices[:2])
    agent.forget([0, 1, 2])
    agent.forget([])
    assert [choice.id for choice in agent.pending] == [3, 4]
    refused(lambda: agent.reward(2, 1.0), "choice ", "choice 2")
