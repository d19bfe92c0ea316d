"""An agent's choices do not change if its rewards and their declared range are scaled and shifted together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bandits import Agent, Policy, make
from tests.bandits.policies import EXAMPLES, FEATURED, PLANNED
from tests.internals import Description, Journal, described, of_json

pytestmark = pytest.mark.kernels

RANGES = [(-4.0, 4.0), (1000.0, 1001.0), (0.0, 2.0**-20)]
ANY = [policy for policy in [*EXAMPLES, *PLANNED, *FEATURED] if not policy.unit_rewards and policy.name != "custom"]


def courses(agent: Any, steps: int = 80, add: bool = False) -> list[Any]:
    """The arms of an agent that is paid multiples of 1 / 8 of its range, with some rewards late."""
    low, high = agent.description.rewards
    rng, late, chosen = np.random.default_rng(2), [], list[Any]()
    for step in range(steps):
        if add and step == 40:
            agent.add_arm("new")
            agent.retire_arm(0)
        choice = agent.choose(rng.normal(size=2) if agent.description.features else None)
        late.append((choice, low + (high - low) * int(rng.binomial(8, [0.3, 0.6, 0.5, 0.9][choice.index])) / 8.0))
        if step % 3:
            agent.reward(*late.pop(0))
        chosen.append(choice.arm)
    return chosen


@pytest.mark.parametrize("policy", ANY, ids=str)
def test_choices_do_not_change_if_rewards_and_their_range_are_scaled_and_shifted(policy: Policy):
    options: dict[str, Any] = {"horizon": 200, "features": 2 if policy.needs_features else None}
    expected = courses(Agent(policy, 3, seed=5, **options))
    for bounds in RANGES:
        assert courses(Agent(policy, 3, seed=5, rewards=bounds, **options)) == expected, bounds


def test_that_holds_in_files_databases_and_for_arms_that_come_and_go(tmp_path: Path):
    pytest.importorskip("sqlalchemy")
    for policy, bounds in zip(["ucb", "thompson_gaussian", "softmax"], RANGES, strict=True):
        expected = courses(Agent(policy, 3), add=True)
        url = f"sqlite:///{tmp_path / f'{bounds[1]}.db'}"
        with Agent.open(url, "a", policy, 3, rewards=bounds) as shared:
            assert courses(shared, add=True) == expected
            shared.check_journal()
        with Agent.open(url, "a") as shared:
            agent = Agent(policy, 3, rewards=bounds)
            courses(agent, add=True)
            agent.save(tmp_path / "agent.json")
            assert courses(Agent.load(tmp_path / "agent.json"), 20) == courses(shared, 20) == courses(agent, 20)
            means = agent.to_frame()["mean"].to_numpy()
            assert ((bounds[0] <= means) & (means <= bounds[1])).all(), "the summary is of the rewards themselves"


def test_without_a_range_and_by_a_rule_of_ones_own_rewards_are_learned_as_they_are():
    own = next(policy for policy in EXAMPLES if policy.name == "custom")
    for policy, bounds in [(make("ucb"), None), (own, (0.0, 50.0))]:
        assert Description(policy, (0, 1), rewards=bounds).scale is None


def test_an_agent_of_an_earlier_version_goes_on_as_it_was(file: str, tmp_path: Path):
    url, content = file, described("ucb", 3, rewards=(0, 50)).as_json()
    del content["is_scaled"]
    old = of_json(content, None)
    assert old.scale is None
    assert of_json(old.as_json(), None) == old
    database = Journal(url)
    database.create("a", content)
    database.close()
    with Agent.open(url, "a") as agent:
        assert courses(agent) == courses(Agent._of(old)) != courses(Agent("ucb", 3, rewards=(0, 50)))
    Agent._of(old).save(tmp_path / "old.json")
    assert Agent.load(tmp_path / "old.json").description == old
