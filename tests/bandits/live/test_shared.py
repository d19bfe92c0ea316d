"""An agent in a database: what one process did, all know, and nothing is lost or counted twice."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import time
from collections.abc import Callable
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
def test_every_policy_is_the_fold_of_its_journal(policy: Policy, tmp_path: Path):
    pytest.importorskip("sqlalchemy")
    url = f"sqlite:///{tmp_path / 'shop.db'}"
    more: dict[str, Any] = {"features": 3} if policy.needs_features else {}
    arms = ARMS[:2] if policy.limits is not None else ARMS
    with Agent.open(url, "a", policy, arms, horizon=40, **more) as agent:
        go_on(agent, 14)
    with Agent.open(url, "a", policy) as agent:
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
        with pytest.raises(ValueError, match=f"^reward of choice {step} must be {step % 2}, as recorded before"):
            (other if teller is one else one).reward(choice.id, 0.5)
        alone.reward(expected, float(step % 2))
    assert one.check_journal() == other.check_journal() == 60
    one.close(), other.close()


def test_a_key_gets_the_same_choice_in_any_process(url: str, name: str):
    one, other = (Agent.open(url, name, "thompson", ARMS) for _ in range(2))
    choice = one.choose(key="request 7")
    again = other.choose(key="request 7")
    assert (again.id, again.arm, again.propensity) == (choice.id, choice.arm, choice.propensity)
    assert one.choices == 1
    assert other.choose(key="request 8").id == 1
    with pytest.raises(ValueError, match=r"^chances of choice 0 are unknown"):
        again.chances  # noqa: B018 (the access raises)
    for wrong in ("", "x" * 201, 7):
        with pytest.raises(ValueError, match=r"^key must be a text of 1 to 200 characters"):
            one.choose(key=wrong)  # type: ignore[arg-type]
    for wrong in ("a\0b", "\ud800"):
        with pytest.raises(ValueError, match=r"^key must be valid Unicode without the character NUL"):
            one.choose(key=wrong)
        with pytest.raises(ValueError, match=r"^name must be valid Unicode without the character NUL"):
            Agent.open(url, wrong, "ucb", ARMS)
    one.close(), other.close()


def test_arms_come_and_go_for_all_processes(url: str, name: str):
    one, other = (Agent.open(url, name, "thompson", ARMS, floor=0.05) for _ in range(2))
    go_on(one, 9)
    one.add_arm("pink")
    other.retire_arm("red")
    assert "red" not in go_on(one, 30) + go_on(other, 30)
    assert other.arms == [*ARMS, "pink"]
    assert one.retired == other.retired == ["red"]
    with pytest.raises(ValueError, match=r"^arm must be new or retired; got 'pink'"):
        other.add_arm("pink")
    with Agent.open(url, name, "thompson", ARMS) as third:
        assert third.retired == ["red"]
        third.check_journal()
    one.close(), other.close()


def test_an_agent_is_opened_only_as_what_it_is(url: str, name: str):
    Agent.open(url, name, "thompson", ARMS, floor=0.1).close()
    with pytest.raises(ValueError, match=r"^policy and arms must be given for a new agent; there is no agent 'banners"):
        Agent.open(url, "banners")
    for given, sentence in [
        ({"policy": "ucb"}, "policy must be that of the saved agent, 'thompson'; got 'ucb'"),
        ({"arms": ["red", "blue"]}, r"arms must be as in the database, \['red', 'green', 'blue'\]"),
        ({"floor": 0.2}, "floor must be as in the database, 0.1; got 0.2"),
        ({"seed": 3}, "seed must be as in the database, 0; got 3"),
        ({"durable": "paper"}, "durable must be one of process, power; got 'paper'"),
        ({"retain": 0.0}, "retain must be a finite number above 0"),
        ({"flor": 0.1}, r"options must be some of seed, .*, rewards \(did you mean floor\?\); got 'flor'"),
    ]:
        with pytest.raises(ValueError, match=f"^{sentence}"):
            Agent.open(url, name, **given)
    Agent.open(url, name, "thompson", ARMS, floor=0.1, durable="power").close()
    with Agent.open(url, name, arms=iter(ARMS)) as agent:
        agent.add_arm("pink")
        agent.retire_arm("red")
    for arms in (ARMS, [*ARMS, "pink"], ["green", "blue", "pink"]):
        Agent.open(url, name, arms=arms).close()
    with pytest.raises(ValueError, match=r"^options must be some of seed"):
        Agent.open(url, f"{name} new", "thompson", ARMS, flor=0.1)
    with pytest.raises(ValueError, match=r"^policy and arms must be given for a new agent"):
        Agent.open(url, f"{name} new")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (7, "url must be sqlite:///PATH or postgresql://USER@HOST/DATABASE; got 7"),
        ("shop.db", "url must be sqlite:///PATH or .*; it cannot be parsed"),
        ("mysql://a@b/c", "url must be sqlite:///PATH or .*; got mysql://"),
        ("sqlite://", "url must name a file, as in sqlite:///PATH"),
        ("sqlite:///:memory:", "url must name a file, as in sqlite:///PATH"),
    ],
)
def test_a_wrong_url_is_refused_in_a_sentence(wrong: Any, sentence: str):
    pytest.importorskip("sqlalchemy")
    with pytest.raises(ValueError, match=f"^{sentence}"):
        Agent.open(wrong, "a", "ucb", 2)


def test_a_database_that_does_not_answer_is_one_sentence_without_a_password(tmp_path: Path):
    pytest.importorskip("psycopg")
    with pytest.raises(JournalError, match=r"^the journal sqlite:////nowhere/shop.db did not answer: unable to open"):
        Agent.open("sqlite:////nowhere/shop.db", "a", "ucb", 2)
    with pytest.raises(JournalError) as caught:
        Agent.open("postgresql://me:secret@127.0.0.1:1/shop", "a", "ucb", 2)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)
    (tmp_path / "text.db").write_text("no database at all, but a text that is long enough to be read as one" * 20)
    with pytest.raises(JournalError, match="file is not a database"):
        Agent.open(f"sqlite:///{tmp_path / 'text.db'}", "a", "ucb", 2)


def test_snapshots_keep_opening_short(url: str, name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shared, "_BETWEEN_SNAPSHOTS", 20)
    with Agent.open(url, name, "ucb_tuned", ARMS) as agent:
        go_on(agent, 40)
        agent.add_arm("pink")
        go_on(agent, 40)
        state = agent._state()
    read: list[int] = []
    before = Journal.read

    def counting(self: Journal, after: int, **more: Any) -> Any:
        events = before(self, after, **more)
        read.append(len(events))
        return events

    monkeypatch.setattr(Journal, "read", counting)
    with Agent.open(url, name) as agent:
        assert sum(read) < 20, "the fold began at a snapshot"
        assert agent._state() == state
        assert agent.check_journal() == 80 + 52 + 1


def test_features_are_forgotten_and_the_fold_begins_at_a_snapshot(url: str, name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shared, "_BETWEEN_SNAPSHOTS", 10)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    with Agent.open(url, name, "linucb", ARMS, features=3, retain=2.0) as agent:
        go_on(agent, 12)
        old = agent.pending[0]
        now += 3 * 86_400.0
        go_on(agent, 12)
        assert agent._journal.base() > 0
        kept = [event.features for event in (e for _, e in agent._journal.read(0)) if event.kind == "choice"]
        assert kept[0] is None
        assert kept[-1] is not None
        assert agent.check_journal() == agent._seq
    with Agent.open(url, name) as agent:
        with pytest.raises(
            ValueError, match=f"^reward of choice {old.id} must arrive earlier; its features were deleted"
        ):
            agent.reward(old.id, 1.0)
        go_on(agent, 3)
        agent.check_journal()


def test_a_policy_of_another_revision_opens_with_a_warning_and_goes_on(
    url: str, name: str, monkeypatch: pytest.MonkeyPatch
):
    with Agent.open(url, name, "thompson", ARMS) as agent:
        go_on(agent, 10)
    monkeypatch.setattr(type(make("thompson")), "revision", 2)
    with pytest.warns(UserWarning, match="^this agent was saved with revision 1 of thompson"):
        agent = Agent.open(url, name)
    go_on(agent, 5)
    agent.close()
    with Agent.open(url, name) as agent:
        assert agent.choices == 15


def test_a_journal_that_was_changed_is_found_out(tmp_path: Path):
    sqlalchemy = pytest.importorskip("sqlalchemy")
    url = f"sqlite:///{tmp_path / 'shop.db'}"
    with Agent.open(url, "a", "ucb", ARMS) as agent:
        go_on(agent, 10)
    with sqlalchemy.create_engine(url).begin() as connection:
        connection.execute(sqlalchemy.text("update treebandit_events set arm = 2 where seq = 1"))
    with pytest.raises(JournalError, match=r"^choice 0 is arm 2 in the journal, but arm 0 with this version"):
        Agent.open(url, "a")


def test_a_class_of_ones_own_lives_in_a_journal_when_it_is_given(tmp_path: Path):
    pytest.importorskip("sqlalchemy")
    url, own = f"sqlite:///{tmp_path / 'shop.db'}", make("custom", rule=Coin)
    with Agent.open(url, "a", own, 2) as agent:
        first = go_on(agent, 12)
    with pytest.raises(ValueError, match=r"^policy must be given: .* is your own rule"):
        Agent.open(url, "a")
    with Agent.open(url, "a", own) as agent:
        more = go_on(agent, 12)
    alone = Agent(own, 2)
    assert first + more == go_on(alone, 12) + go_on(alone, 12)


def test_an_older_form_is_brought_to_this_one_and_a_newer_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    sqlalchemy = pytest.importorskip("sqlalchemy")
    url = f"sqlite:///{tmp_path / 'shop.db'}"
    Agent.open(url, "a", "ucb", ARMS).close()
    monkeypatch.setattr(schema, "VERSION", 2)
    moved: list[int] = []

    def to_second(connection: Any) -> None:
        connection.execute(sqlalchemy.text("alter table treebandit_agents add column colour text"))
        moved.append(1)

    monkeypatch.setitem(schema.MIGRATIONS, 1, to_second)
    for _ in range(2):
        with Agent.open(url, "a") as agent:
            go_on(agent, 3)
    assert moved == [1], "once"
    monkeypatch.setattr(schema, "VERSION", 1)
    with pytest.raises(
        ValueError, match=r"^url must name a journal of format 1 or older; it has format 2: update treebandit"
    ):
        Agent.open(url, "a")
    other = f"sqlite:///{tmp_path / 'other.db'}"
    with sqlalchemy.create_engine(other).begin() as connection:
        connection.execute(sqlalchemy.text("create table treebandit_events (x integer)"))
    with pytest.raises(ValueError, match=r"^url must name a journal or an empty database"):
        Agent.open(other, "a", "ucb", ARMS)


def test_wrong_calls_change_neither_the_state_nor_the_journal(url: str, name: str):
    with Agent.open(url, name, "thompson", ARMS) as agent:
        choice = agent.choose()
        for call, sentence in [
            (lambda: agent.reward(9, 1.0), "choice must be the id of one of this agent's 1 choices; got 9"),
            (lambda: agent.reward(choice, 2.0), "reward must be a finite number from 0 to 1; got 2"),
            (lambda: agent.choose([1.0]), "features must be left out: thompson does not use features"),
            (lambda: agent.retire_arm("pink"), "arm must be one of red, green, blue; got 'pink'"),
            (lambda: agent.save("agent.json"), "save must be left out for 'banner"),
            (lambda: agent.choose_many(2, [[1.0]]), "features must have a row for each of the 2 choices; got 1"),
        ]:
            with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
                call()
        assert agent.check_journal() == 1
        agent.forget([choice])
        with pytest.raises(ValueError, match=r"^choice must not be forgotten; choice 0 is forgotten"):
            agent.reward(choice, 1.0)
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


def refusal_of(act: Callable[[], object]) -> Exception | None:
    """The error of a call, if there is one."""
    try:
        act()
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize("policy", ["exp3", "thompson", "ucb"])
def test_whatever_is_changed_in_a_journal_is_one_sentence(policy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("sqlalchemy")
    url, old = f"sqlite:///{tmp_path / 'shop.db'}", tmp_path / "old.db"
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
    found = 0

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
                    changed = database.execute(statement, {"value": value, "kind": kind}).rowcount
                if changed:
                    refusal = refusal_of(look)
                    found += refusal is not None  # a few changes change nothing that is read
                    assert type(refusal) in (type(None), ValueError, JournalError), (kind, column, value)
                    assert "\n" not in str(refusal)
                (tmp_path / "shop.db").write_bytes(old.read_bytes())
    assert found > 20


@pytest.mark.parametrize("text", ["", "x" * 201, "a\ud800", "a\0b"], ids=ascii)
def test_texts_that_a_database_cannot_hold_are_refused_as_keys_names_and_arms(url: str, name: str, text: str):
    with Agent.open(url, name, "thompson", ARMS) as agent:
        for argument, act in [
            ("key", lambda: agent.choose(key=text)),
            ("name", lambda: Agent.open(url, text, "thompson", ARMS)),
        ]:
            with pytest.raises(ValueError, match=f"^{argument} must be "):
                act()
        if "a" in text:
            refused(lambda: read_log(url, agent=text), "agent must be one of ")
            refused(lambda: agent.add_arm(text), "arm must be ")
            refused(lambda: Agent.open(url, f"{name} new", "thompson", [*ARMS, text]), "arms must be ")
        assert agent.choices == 0


@pytest.mark.parametrize("alike", ["2", "-1", "a\\x01"])
def test_an_arm_whose_text_another_arm_has_is_refused_and_the_log_can_be_read(url: str, name: str, alike: str):
    arms = [0, 2, -1, "a\x01"]
    for begin in (lambda *given: Agent(*given), lambda *given: Agent.open(url, name, *given)):
        refused(lambda begin=begin: begin("thompson", [*arms, alike]), "arms must have different texts; got ")
        agent = begin("thompson", arms)
        refused(lambda agent=agent: agent.add_arm(alike), "arm must have different texts; got ")
        agent.retire_arm(2)
        refused(lambda agent=agent: agent.add_arm(alike), "arm must have different texts; got ")
        agent.add_arm(2)
        agent.reward(agent.choose(), 1.0)
    agent.close()
    assert len(read_log(url, agent=name).names) == 4


def test_the_summary_is_that_of_all_processes(url: str, name: str):
    one, other = (Agent.open(url, name, "ucb", ARMS) for _ in range(2))
    go_on(one, 30), go_on(other, 30)
    frame = one.to_frame()
    assert frame["pulls"].sum() == 40
    assert frame["pending"].sum() == 20
    assert frame.equals(other.to_frame())
    one.close(), other.close()
