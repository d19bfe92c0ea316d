"""An agent in a file: it goes on as if it had never been there, and a wrong file is refused in a sentence."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bandits import Agent, Policy, make
from bandits.live import files
from tests import golden
from tests.bandits.policies import EXAMPLES, FEATURED, LIMITED, PLANNED
from tests.bandits.test_plain import WinStay
from tests.data import read as stored_data
from tests.refusals import refused

pytestmark = pytest.mark.kernels


def started(policy: Policy, **more: Any) -> Agent:
    """An agent with rewards that came late, and some that are on their way."""
    given: dict[str, Any] = {"horizon": 60, "seed": 9, **more}
    if policy.needs_features:
        given["features"] = 3
    agent = Agent(policy, ["a", "b", "c"] if policy.limits is None else ["a", "b"], **given)
    go_on(agent, 25)
    return agent


def go_on(agent: Agent, steps: int) -> list[tuple[int, str | int]]:
    """Choose, and reward what was chosen three choices before."""
    rng, chosen = np.random.default_rng(agent.choices), []
    for _ in range(steps):
        choice = agent.choose(rng.normal(size=agent.description.features) if agent.description.features else None)
        chosen.append((choice.id, choice.arm))
        for late in agent.pending:
            if late.id == choice.id - 3:
                agent.reward(late.id, float(late.arm == "b"))
    return chosen


@pytest.mark.parametrize("policy", [*EXAMPLES, *PLANNED, *LIMITED, *FEATURED], ids=lambda policy: policy.name)
def test_an_agent_that_was_saved_goes_on_to_the_same_choices(policy: Policy, tmp_path: Path):
    agent = started(policy)
    agent.save(tmp_path / "agent.json")
    if policy.name == "custom":
        refused(lambda: Agent.load(tmp_path / "agent.json"), "policy ", "bandits.policies.ucb.ucb")
    read = Agent.load(tmp_path / "agent.json", policy=policy if policy.name == "custom" else None)
    assert repr(read) == repr(agent)
    assert go_on(read, 30) == go_on(agent, 30)
    assert read.to_frame().equals(agent.to_frame())


def test_a_file_has_arms_that_came_and_went_and_the_floors_coin(tmp_path: Path):
    agent = started(make("thompson"), floor=0.1, run=3)
    agent.retire_arm("a")
    agent.add_arm("d")
    agent.save(tmp_path / "agent.json")
    read = Agent.load(tmp_path / "agent.json")
    assert (read.arms, read.retired, read.description.floor) == (["a", "b", "c", "d"], ["a"], 0.1)
    assert go_on(read, 20) == go_on(agent, 20)
    index = started(make("ucb"))
    index.add_arm("d")
    index.choose()
    index.retire_arm("d")
    index.add_arm("e")
    for other in (index, Agent.from_counts("ucb", {"a": (2, 1), "b": (0, 2)})):
        other.save(tmp_path / "agent.json")
        read = Agent.load(tmp_path / "agent.json")
        assert go_on(read, 20) == go_on(other, 20)
        assert read.to_frame().equals(other.to_frame())


def test_propensities_that_were_read_are_in_the_file_and_others_are_not_known(tmp_path: Path):
    agent = Agent("thompson", 3)
    read, unread = agent.choose_many(2)
    assert read.propensity == pytest.approx(1 / 3, abs=1e-6)
    agent.save(tmp_path / "agent.json")
    first, second = Agent.load(tmp_path / "agent.json").pending
    assert first.propensity == read.propensity
    refused(lambda: second.propensity, "the propensity of choice 1 ")
    assert unread.propensity == pytest.approx(1 / 3, abs=1e-6)


def test_the_file_is_plain_json_without_infinities(tmp_path: Path):
    agent = started(make("ucb"))
    agent.forget(agent.pending[:1])
    agent.save(tmp_path / "agent.json")

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    content = json.loads((tmp_path / "agent.json").read_text(), parse_constant=refuse)
    assert content["schema"] == files.SCHEMA
    assert all(isinstance(word, str) for word in content["play"]["state"]["random"])
    assert {"pending", "forgotten", 1.0} <= set(content["ledger"]["outcomes"])


def test_wrong_files_are_refused(tmp_path: Path):
    path = tmp_path / "agent.json"
    started(make("thompson")).save(path)
    whole = path.read_bytes()
    refused(lambda: Agent.load(path, policy="ucb"), "policy", "'thompson'; got 'ucb'")
    for content, fact in [
        (whole.replace(b'"seed": 9', b'"seed": 8'), "edited"),
        (whole[: len(whole) // 2], "JSON"),
        (b"\xff\xfe\x00", "JSON"),
        (b"[1, 2]", "JSON"),
    ]:
        path.write_bytes(content)
        refused(lambda: Agent.load(path), "path", fact)
    newer = json.loads(whole) | {"schema": files.SCHEMA + 1}
    del newer["digest"]
    path.write_text(json.dumps(newer | {"digest": files._digest(newer)}), encoding="utf-8")
    refused(lambda: Agent.load(path), "path", "format 1", "format 2")
    path.unlink()
    refused(lambda: Agent.load(path), "path", "agent.json")


def test_a_class_of_ones_own_cannot_be_saved(tmp_path: Path):
    agent = Agent(make("custom", rule=WinStay), 2)
    refused(lambda: agent.save(tmp_path / "agent.json"), "policy", "WinStay")
    assert not (tmp_path / "agent.json").exists()


def test_a_path_that_cannot_be_written_is_one_sentence_and_leftovers_of_killed_processes_are_removed(tmp_path: Path):
    agent = Agent("thompson", 3)
    (tmp_path / "file").write_text("text")
    for path in (tmp_path / "missing" / "a.json", tmp_path / "file" / "a.json", tmp_path):
        refused(lambda path=path: agent.save(path), "path", str(path))
    leftovers = [tmp_path / f".{name}.half" for name in ("a.json.123", "b.json.123", "a.json.mine", "a.json.5")]
    for left in leftovers:
        left.write_text("{")
        os.utime(left, (1e9, 1e9 if left != leftovers[3] else 4e9))
    agent.save(tmp_path / "a.json")
    assert [left.exists() for left in leftovers] == [False, True, True, True]
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith(".")) == ["a.json", "file"]


# ---------------------------------------------------------------- a policy's revision rises when its choices change

PLAYS: dict[str, list[str]] = {}  # of each policy, the names of its golden plays
for arms, policy in golden.PAIRS:
    PLAYS.setdefault(policy.name, []).append(golden.name_of(arms, policy))
REVISIONS = {policy.name: policy.revision for _, policy in golden.PAIRS}


@pytest.mark.jit
@pytest.mark.parametrize("name", PLAYS)
def test_choices_that_changed_have_another_revision(name: str):
    plays = stored_data("golden")["plays"]
    digest = hashlib.sha256(json.dumps([plays[play] for play in sorted(PLAYS[name])]).encode()).hexdigest()[:16]
    stored = stored_data("revisions")["revisions"].get(name)
    assert stored == [REVISIONS[name], digest], (
        f"if the choices of {name} have changed, raise `revision` in its file; "
        f"then store {[REVISIONS[name], digest]} in tests/data/revisions.json"
    )
