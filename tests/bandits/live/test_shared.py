"""An agent in a database: what one process did, all know, and nothing is lost or counted twice."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bandits import Agent, JournalError, Policy, make, read_log
from bandits.journal import schema
from bandits.live import shared
from tests.bandits.live.test_agent import Coin
from tests.bandits.policies import EXAMPLES, FEATURED, LIMITED, PLANNED
from tests.internals import Journal
from tests.refusals import refused

ARMS = ["red", "green", "blue"]


def go_on(agent: Agent, steps: int) -> list[str | int]:
    """Choose and reward, each third reward late or never."""
    rng, chosen = np.random.default_rng(agent.choices), []
    for step in range(steps):
        choice = agent.choose(rng.normal(size=3) if agent.description.features else None)
        chosen.append(choice.arm)
        if step % 3:
            agent.reward(choice, float(choice.index == 1))
    return chosen


def test_an_agent_chooses_what_it_would_choose_in_memory_and_the_next_process_goes_on(url: str, name: str):
    alone = Agent("thompson", ARMS, seed=4)
    with Agent.open(url, name, "thompson", ARMS, seed=4) as agent:
        first = go_on(agent, 20)
    with Agent.open(url, name) as agent:
        assert agent.choices == 20
        assert len(agent.pending) == 7
        more = go_on(agent, 10)
        assert agent.check_journal() == 30 + 13 + 6
    assert first == go_on(alone, 20)
    assert more == go_on(alone, 10)


@pytest.mark.parametrize("policy", [*EXAMPLES, *PLANNED, *LIMITED, *FEATURED], ids=lambda policy: policy.name)
def test_every_policy_is_the_fold_of_its_journal(policy: Policy, file: str):
    more: dict[str, Any] = {"features": 3} if policy.needs_features else {}
    arms = ARMS[:2] if policy.limits is not None else ARMS
    with Agent.open(file, "a", policy, arms, horizon=40, **more) as agent:
        go_on(agent, 14)
    with Agent.open(file, "a", policy) as agent:
        go_on(agent, 6)
        agent.check_journal()
        alone = Agent(policy, arms, horizon=40, **more)
        go_on(alone, 14), go_on(alone, 6)
        assert agent.choose([0.1] * 3 if more else None).arm == alone.choose([0.1] * 3 if more else None).arm


def test_two_processes_take_turns_at_one_state(url: str, name: str):
    one, other = (Agent.open(url, name, "ucb", ARMS) for _ in range(2))
    alone = Agent("ucb", ARMS)
    for step in range(30):
        agent = (one, other)[step % 2]
        choice, expected = agent.choose(), alone.choose()
        assert (choice.id, choice.arm, choice.propensity) == (expected.id, expected.arm, expected.propensity)
        teller = (one, other)[step // 2 % 2]
        assert teller.reward(choice.id, float(step % 2))
        assert not agent.reward(choice.id, float(step % 2)), "the same reward from another process"
        late = other if teller is one else one
        refused(lambda late=late, choice=choice: late.reward(choice.id, 0.5), f"reward of choice {step} ")
        alone.reward(expected, float(step % 2))
    assert one.check_journal() == other.check_journal() == 60
    one.close(), other.close()


def test_another_process_knows_the_propensity_of_a_choice_and_not_the_chances_of_all_arms(file: str):
    with Agent.open(file, "a", "thompson", ARMS) as one, Agent.open(file, "a") as other:
        choice, again = one.choose(key="request"), other.choose(key="request")
        assert (again.id, again.propensity) == (choice.id, choice.propensity)
        refused(lambda: again.chances, "chances of choice 0 ")


def test_an_agent_is_opened_only_as_what_it_is(file: str):
    Agent.open(file, "a", "thompson", ARMS, floor=0.1).close()
    refused(lambda: Agent.open(file, "banners"), "policy and arms", "'banners'")
    refused(lambda: Agent.open(file, "new", "thompson"), "policy and arms")
    for given, key, fact in [
        ({"policy": "ucb"}, "policy", "'thompson'; got 'ucb'"),
        ({"arms": ["red", "blue"]}, "arms", "['red', 'green', 'blue']"),
        ({"floor": 0.2}, "floor", "0.1; got 0.2"),
        ({"durable": "paper"}, "durable", "process, power; got 'paper'"),
        ({"flor": 0.1}, "options", "floor?"),
    ]:
        refused(lambda given=given: Agent.open(file, "a", **given), key, fact)
    Agent.open(file, "a", "thompson", ARMS, floor=0.1, durable="power").close()
    with Agent.open(file, "a", arms=iter(ARMS)) as agent:
        agent.add_arm("pink")
        agent.retire_arm("red")
    for arms in (ARMS, [*ARMS, "pink"], ["green", "blue", "pink"]):
        Agent.open(file, "a", arms=arms).close()


def test_a_database_that_does_not_answer_is_one_line_without_a_password(tmp_path: Path):
    pytest.importorskip("psycopg")
    (tmp_path / "text.db").write_text("no database at all, but a text that is long enough to be read as one" * 20)
    for url in (
        "sqlite:////nowhere/shop.db",
        "postgresql://me:secret@127.0.0.1:1/shop",
        f"sqlite:///{tmp_path / 'text.db'}",
    ):
        with pytest.raises(JournalError, match=r"\A[^\n]*\Z") as caught:
            Agent.open(url, "a", "ucb", 2)
        assert "secret" not in str(caught.value)


def test_snapshots_keep_opening_short(file: str, name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shared, "_BETWEEN_SNAPSHOTS", 20)
    with Agent.open(file, name, "ucb_tuned", ARMS) as agent:
        go_on(agent, 40)
        agent.add_arm("pink")
        go_on(agent, 40)
        state = agent._state()
    read, before = [], Journal.read
    monkeypatch.setattr(Journal, "read", lambda *given, **more: read.append(new := before(*given, **more)) or new)
    with Agent.open(file, name) as agent:
        assert sum(map(len, read)) < 20, "the fold began at a snapshot"
        assert agent._state() == state
        assert agent.check_journal() == 80 + 52 + 1


def test_a_policy_of_another_revision_opens_with_a_warning_and_goes_on(
    file: str, name: str, monkeypatch: pytest.MonkeyPatch
):
    with Agent.open(file, name, "thompson", ARMS) as agent:
        go_on(agent, 10)
    monkeypatch.setattr(type(make("thompson")), "revision", 2)
    with pytest.warns(UserWarning, match="revision 1 of thompson"):
        agent = Agent.open(file, name)
    go_on(agent, 5)
    agent.close()
    with Agent.open(file, name) as agent:
        assert agent.choices == 15


def test_a_class_of_ones_own_lives_in_a_journal_when_it_is_given(file: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("bandits.live.engine._MOST_DRAWS", 100)
    own = make("custom", rule=Coin)
    with Agent.open(file, "a", own, 2) as agent:
        first = go_on(agent, 6)
    refused(lambda: Agent.open(file, "a"), "policy ")
    with Agent.open(file, "a", own) as agent:
        more = go_on(agent, 6)
    alone = Agent(own, 2)
    assert first + more == go_on(alone, 6) + go_on(alone, 6)


def test_an_older_form_is_brought_to_this_one_and_a_newer_one_is_refused(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    sqlalchemy = pytest.importorskip("sqlalchemy")
    Agent.open(file, "a", "ucb", ARMS).close()
    monkeypatch.setattr(schema, "VERSION", 2)
    moved: list[int] = []

    def to_second(connection: Any) -> None:
        connection.execute(sqlalchemy.text("alter table treebandit_agents add column colour text"))
        moved.append(1)

    monkeypatch.setitem(schema.MIGRATIONS, 1, to_second)
    for _ in range(2):
        with Agent.open(file, "a") as agent:
            go_on(agent, 3)
    assert moved == [1], "once"
    monkeypatch.setattr(schema, "VERSION", 1)
    refused(lambda: Agent.open(file, "a"), "url", "format 1", "format 2")
    other = f"sqlite:///{tmp_path / 'other.db'}"
    with sqlalchemy.create_engine(other).begin() as connection:
        connection.execute(sqlalchemy.text("create table treebandit_events (x integer)"))
    refused(lambda: Agent.open(other, "a", "ucb", ARMS), "url ")


def test_wrong_calls_change_neither_the_state_nor_the_journal(file: str):
    with Agent.open(file, "a", "thompson", ARMS) as agent:
        choice = agent.choose()
        for call, key in [
            (lambda: agent.reward(9, 1.0), "choice"),
            (lambda: agent.reward(choice, 2.0), "reward"),
            (lambda: agent.choose([1.0]), "features"),
            (lambda: agent.save("agent.json"), "save"),
        ]:
            refused(call, f"{key} ")
        assert agent.check_journal() == 1
        agent.forget([choice])
        refused(lambda: agent.reward(choice, 1.0), "choice ", "choice 0")
        assert agent.pending == []


EDITS = {
    "choice": {"choice": [None, -1, 99, "x"], "arm": [None, -1, 99, 0.5, "x"], "kind": ["chosen"]},
    "reward": {
        "reward": [None, 7.0, -1.0, 9e999, "x"],
        "arm": [None, -1, 99, "x"],
        "choice": [None, -1, 99],
        "kept": ["%", "AAAA", "AAAAAAAA8L8=", "AAAAAAAA+H8="],  # no base64, three bytes, -1, NaN
        "kind": ["paid"],
    },
    "arm_added": {"name": [None, "x", "[1]", "1.5", "null", '"red"']},
    "arm_retired": {"name": [None, "x", "[1]", '"pink"']},
    "snapshot": {"state": ["", "{", "{}", "null", "[]", '{"made": 1}', '{"play": {}, "made": 1}']},
    "agent": {"description": ["", "{", "null", "[]", "{}", "5", '{"policy": "exp3"}']},
}


@pytest.mark.parametrize("policy", ["exp3", "thompson", "ucb"])
def test_whatever_is_changed_in_a_journal_is_one_sentence(policy: str, file: str, tmp_path: Path):
    url, old = file, tmp_path / "old.db"
    with Agent.open(url, "banner", policy, ARMS) as agent:
        go_on(agent, 6)
        if policy == "thompson":
            agent.add_arm("pink")
            agent.retire_arm("red")
        else:
            agent._write_snapshot()
        go_on(agent, 6)
        if policy == "ucb":
            agent._write_snapshot()  # no event before it is folded at opening
    old.write_bytes((tmp_path / "shop.db").read_bytes())
    found: list[Any] = []

    def look() -> None:
        with Agent.open(url, "banner") as agent:
            agent.summary()
            agent.check_journal()

    for kind, columns in EDITS.items():
        table = {"snapshot": "treebandit_snapshots", "agent": "treebandit_agents"}.get(kind, "treebandit_events")
        where = "kind = :kind and seq = (select max(seq) from treebandit_events where kind = :kind)"
        for column, values in columns.items():
            for value in values:
                with contextlib.closing(sqlite3.connect(tmp_path / "shop.db")) as database, database:
                    statement = f"update {table} set {column} = :value"
                    statement += f" where {where}" if table == "treebandit_events" else ""
                    database.execute(statement, {"value": value, "kind": kind})
                try:
                    look()
                except Exception as error:  # a few changes change nothing that is read
                    found.append((kind, column, value, error))
                (tmp_path / "shop.db").write_bytes(old.read_bytes())
    assert len(found) > 20
    wrong = [one for one in found if type(one[-1]) not in (ValueError, JournalError) or "\n" in str(one[-1])]
    assert wrong == []


@pytest.mark.parametrize("text", ["x" * 201, "a\ud800", "a\0b", 7], ids=ascii)
def test_texts_that_a_database_cannot_hold_are_refused_as_keys_names_and_arms(file: str, text: Any):
    with Agent.open(file, "a", "thompson", ARMS) as agent:
        refused(lambda: agent.choose(key=text), "key ")
        refused(lambda: Agent.open(file, text, "thompson", ARMS), "name ")
        if "a" in str(text):
            refused(lambda: read_log(file, agent=text), "agent ")
            refused(lambda: agent.add_arm(text), "arm ")
            refused(lambda: Agent.open(file, "new", "thompson", [*ARMS, text]), "arms ")
        assert agent.choices == 0


@pytest.mark.parametrize("alike", ["2", "a\\x01"])
def test_an_arm_whose_text_another_arm_has_is_refused_and_the_log_can_be_read(file: str, alike: str):
    arms = [0, 2, -1, "a\x01"]
    for begin in (lambda *given: Agent(*given), lambda *given: Agent.open(file, "a", *given)):
        refused(lambda begin=begin: begin("thompson", [*arms, alike]), "arms ")
        agent = begin("thompson", arms)
        refused(lambda agent=agent: agent.add_arm(alike), "arm ")
        agent.retire_arm(2)
        refused(lambda agent=agent: agent.add_arm(alike), "arm ")
        agent.add_arm(2)
        agent.reward(agent.choose(), 1.0)
    agent.close()
    assert len(read_log(file, agent="a").names) == 4


def test_the_log_of_a_journal_is_what_was_chosen_seen_and_paid(url: str, name: str):
    rng = np.random.default_rng(1)
    with Agent.open(url, name, "lin_thompson", ARMS, features=3) as agent:
        seen = rng.normal(size=(12, 3))
        choices = [agent.choose(x) for x in seen]
        shown = [choice.propensity for choice in choices]
        for choice in choices[::-1]:
            agent.reward(choice, choice.id % 5 / 4)
    log = read_log(url, agent=name)
    assert [log.names[arm] for arm in log.arm] == [choice.arm for choice in choices]
    assert log.features.tolist() == seen.tolist()
    assert log.propensity.tolist() == shown
    assert log.reward.tolist() == [at % 5 / 4 for at in range(12)]
    refused(lambda: read_log(url, agent="nobody"), "agent", "got 'nobody'")


def test_the_summary_is_that_of_all_processes(file: str, name: str):
    one, other = (Agent.open(file, name, "ucb", ARMS) for _ in range(2))
    go_on(one, 30), go_on(other, 30)
    frame = one.to_frame()
    assert frame["pulls"].sum() == 40
    assert frame["pending"].sum() == 20
    assert frame.equals(other.to_frame())
    one.close(), other.close()
