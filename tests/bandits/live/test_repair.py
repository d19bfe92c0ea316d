"""A journal that does not fold is repaired: what is wrong is set aside, and no other choice or reward is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bandits import Agent, JournalError, make, read_log
from bandits.live import shared
from bandits.live.repair import repair_agent
from numerics.exits import run_guarded
from tests.bandits.live.test_agent import Coin
from tests.internals import Event, Journal, place_of
from tests.refusals import refused
from treebandit.repair_agent import main

ARMS = ["red", "green", "blue"]
TABLES = ("agents", "events", "snapshots")
STEPS = 18


def grown(url: str, name: str, policy: str, arms: bool = False) -> dict[int, Event]:
    """Make an agent with every kind of event, and return its journal."""
    rng = np.random.default_rng(3)
    with Agent.open(url, name, policy, ARMS, floor=0.05, features=2 if policy == "linucb" else None) as agent:
        for step in range(STEPS):
            choice = choose(agent, rng, f"request {step}")
            if step % 4 == 3:
                agent.forget([choice])
            elif step % 4:
                agent.reward(choice, float(rng.random() < 0.5))
            if arms and step == 5:
                agent.add_arm("pink")
            if arms and step == 12:
                agent.retire_arm("green")
    return events_of(url, name)


def choose(agent: Any, rng: np.random.Generator, key: str | None = None) -> Any:
    return agent.choose(rng.normal(size=2) if agent.description.features else None, key=key)


def events_of(url: str, name: str) -> dict[int, Event]:
    journal = Journal(url, create=False)
    journal.use(name)
    events = dict(journal.listed(0))
    journal.close()
    return events


def changed(url: str, statement: str, name: str, **given: Any) -> None:
    """Change a database as nobody should: {A} stands for the number of the agent."""
    sql = pytest.importorskip("sqlalchemy")
    engine = sql.create_engine(place_of(url).engine_url)
    with engine.begin() as connection:
        one = connection.scalar(sql.text("select id from treebandit_agents where name = :name"), {"name": name})
        assert connection.execute(sql.text(statement.replace("{A}", str(one))), given).rowcount
    engine.dispose()


def contents(url: str) -> list[list[Any]]:
    """What a database holds, and the bytes of its file, if it is one."""
    sql = pytest.importorskip("sqlalchemy")
    engine, path = sql.create_engine(place_of(url).engine_url), place_of(url).path
    with engine.connect() as connection:
        orders = [sql.text(f"select * from treebandit_{table} order by 1, 2") for table in TABLES]
        rows = [list(connection.execute(order)) for order in orders]
    engine.dispose()
    return [*rows, [Path(path).read_bytes()] if path else []]


UPDATE = "update treebandit_events set {} where agent = {A} and seq = :seq"
DELETE = "delete from treebandit_events where agent = {A} and seq = :seq"
DAMAGES = [  # to an event of a kind, of a policy's agent; the first, one in the middle or the last
    ("choice", "arm = (arm + 1) % 3", "thompson", 0),
    ("choice", "arm = 99", "linucb", 1),
    ("choice", "features = '[1.0'", "linucb", 1),
    ("choice", "choice = 99", "ucb", 2),
    ("choice", "kind = 'chosen'", "exp3", 1),
    ("choice", None, "linucb", 1),
    ("reward", "reward = 7", "exp3", 1),
    ("reward", "choice = 99", "thompson", 2),
    ("reward", None, "ucb", 2),
    ("forgotten", "arm = 99", "thompson", 0),
]


def places(events: dict[int, Event], kind: str) -> list[int]:
    """The first event of a kind, one in the middle, and the last but the journal's, whose loss leaves no trace."""
    found = [seq for seq, event in events.items() if event.kind == kind and seq < len(events)]
    return [found[0], found[len(found) // 2], found[-1]]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("kind", "change", "policy", "place"), DAMAGES)
def test_what_does_not_fold_is_set_aside_and_nothing_else_is_lost(
    file: str, name: str, kind: str, change: str | None, policy: str, place: int
):
    sound = grown(file, name, policy)
    at = places(sound, kind)[place]
    changed(file, DELETE if change is None else UPDATE.replace("{}", change), name, seq=at)
    hurt = {at}
    if kind == "choice":
        hurt |= {seq for seq, event in sound.items() if event.choice == sound[at].choice}
    check_repair(file, name, hurt, exact=change is not None)


def check_repair(url: str, name: str, hurt: set[int], exact: bool = True) -> None:
    """Repair a journal, in which some events are hurt, and look at what is left."""
    with pytest.raises(JournalError):
        Agent.open(url, name)
    before, whole = events_of(url, name), contents(url)
    found = repair_agent(url, name)
    assert contents(url) == whole, "nothing is changed"
    assert {fault.number for fault in found.faults} == hurt
    assert [fault.event for fault in found.faults] == [before.get(fault.number) for fault in found.faults]
    assert repair_agent(url, name, apply=True).faults == found.faults
    after = events_of(url, name)
    assert {seq: event for seq, event in after.items() if event.kind != "set_aside"} == {
        seq: event for seq, event in before.items() if seq not in hurt
    }
    for seq in hurt & set(before):
        assert json.loads(after[seq].name or "") == {
            key: value for key, value in before[seq]._asdict().items() if value is not None
        }
    kept = [event for event in after.values() if event.kind != "set_aside"]
    made = {event.choice: event for event in kept if event.kind == "choice"}
    ended = {event.choice for event in kept if event.kind in ("reward", "forgotten")}
    paid = [event for event in kept if event.kind == "reward"]
    rng = np.random.default_rng(0)
    for _ in range(2):
        with Agent.open(url, name) as agent:
            agent.check_journal()
            assert agent.choices == STEPS if exact else agent.choices >= STEPS
            assert [choice.id for choice in agent.pending] == [each for each in made if each not in ended]
            assert agent.to_frame()["pulls"].sum() == len(paid)
            if agent._play.engine.arms == len(agent.arms) == len(ARMS):
                pulls = [agent._play.engine.column(arm)[0] for arm in range(len(ARMS))]
                assert pulls == [sum(event.arm == arm for event in paid) for arm in range(len(ARMS))]
    assert len(read_log(url, agent=name).arm) == len(paid)
    with Agent.open(url, name) as agent:
        for event in made.values():
            assert agent.choose([0.0, 0.0] if event.features else None, key=event.key).id == event.choice
        for gone in set(range(STEPS)) - set(made):
            refused(lambda gone=gone: agent.reward(gone, 1.0), "choice ")
        for choice in agent.pending:
            assert agent.reward(choice.id, 1.0)
        new = [choose(agent, rng) for _ in range(3)]
        assert new[0].id == agent.choices - 3 >= STEPS
        assert agent.reward(new[0], 1.0)
        agent.check_journal()
    assert repair_agent(url, name) == repair_agent(url, name, apply=True)
    assert repair_agent(url, name).faults == []


@pytest.mark.parametrize(("policy", "kind"), [("thompson", "arm_added"), ("ucb", "arm_retired")])
def test_an_arm_whose_coming_cannot_be_read_takes_its_choices_along(url: str, name: str, policy: str, kind: str):
    sound = grown(url, name, policy, arms=True)
    (at,) = (seq for seq, event in sound.items() if event.kind == kind)
    changed(url, UPDATE.replace("{}", "name = '[1]'"), name, seq=at)
    hurt = {at} | {seq for seq, event in sound.items() if kind == "arm_added" and event.arm == 3}
    check_repair(url, name, hurt)


def test_several_damages_and_long_gaps_are_repaired_at_once(file: str, name: str):
    sound = grown(file, name, "thompson")
    changed(file, UPDATE.replace("{}", "reward = 7"), name, seq=[s for s, e in sound.items() if e.kind == "reward"][1])
    changed(file, "delete from treebandit_events where agent = {A} and seq between 12 and 16", name)
    lost = {event.choice for seq, event in sound.items() if 12 <= seq <= 16 and event.kind == "choice"}
    faults = repair_agent(file, name).faults
    assert [fault.why for fault in faults if fault.event is None] == ["events 12 to 16 are missing"]
    assert {fault.event.choice for fault in faults[2:] if fault.event} <= lost
    assert repair_agent(file, name, apply=True).faults == faults
    with Agent.open(file, name) as agent:
        agent.check_journal()
        assert agent.choose().id >= STEPS


def test_a_process_that_runs_reads_the_repaired_state(file: str, name: str):
    sound = grown(file, name, "thompson")
    with Agent.open(file, name) as running, Agent.open(file, name) as idle:
        changed(file, UPDATE.replace("{}", "arm = (arm + 1) % 3"), name, seq=places(sound, "choice")[1])
        repair_agent(file, name, apply=True)
        assert running.choose().id == STEPS
        assert running.reward(STEPS, 1.0)
        with Agent.open(file, name) as other:
            assert idle.check_journal() == running.check_journal() == other.check_journal() == len(sound) + 3
            assert idle._state() == running._state() == other._state()


def test_choices_after_a_repair_are_drawn_anew(file: str, name: str):
    """As the propensity of the next choice would be wrong if its draws had made an earlier one."""
    sound = grown(file, name, "thompson")
    with Agent.open(file, name) as agent:
        used = agent._state()["play"]
    changed(file, UPDATE.replace("{}", "arm = (arm + 1) % 3"), name, seq=places(sound, "choice")[-1])
    state = repair_agent(file, name).state["play"]
    assert state["coin"] != used["coin"]
    assert state["state"]["random"] != used["state"]["random"]
    assert repair_agent(file, name).state["play"] == state


def test_an_event_written_meanwhile_is_not_overwritten(file: str, name: str):
    sound = grown(file, name, "ucb")
    whole = contents(file)[:3]
    journal = Journal(file, create=False)
    journal.use(name)
    with pytest.raises(JournalError, match=f"event {len(sound)}"):
        journal.set_aside({3: sound[3]}, len(sound) - 1, {})
    journal.close()
    assert contents(file)[:3] == whole, "one transaction"


@pytest.mark.parametrize("state", ["{", None])
def test_a_snapshot_that_is_wrong_is_written_anew(
    file: str, name: str, state: str | None, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(shared, "_BETWEEN_SNAPSHOTS", 10)
    grown(file, name, "ucb")
    text = "state = replace(state, '\"made\": ', '\"made\": 1')" if state is None else f"state = '{state}'"
    changed(file, f"update treebandit_snapshots set {text} where agent = {{A}}", name)
    found = repair_agent(file, name)
    assert found.faults == []
    assert found.snapshot.startswith(f"the snapshot of {name!r} ")
    repair_agent(file, name, apply=True)
    assert repair_agent(file, name).snapshot == ""
    with Agent.open(file, name) as agent:
        agent.check_journal()
        assert agent.choose().id == STEPS


def test_what_a_deletion_left_is_repaired_behind_its_snapshot_and_a_copy_is_deleted_in_time(
    url: str, name: str, monkeypatch: pytest.MonkeyPatch
):
    now = 1e9
    monkeypatch.setattr("time.time", lambda: now)
    rng = np.random.default_rng(0)
    with Agent.open(url, name, "linucb", ARMS, features=2, retain=2.0) as agent:
        old = [choose(agent, rng, f"old {step}") for step in range(8)]
        now += 3 * 86_400.0
        new = [choose(agent, rng, f"new {step}") for step in range(8)]
        agent.reward(new[5], 1.0)
        base = agent._journal.base()
        assert base > 0
    changed(url, UPDATE.replace("{}", "features = '[1.0'"), name, seq=14)
    assert [fault.number for fault in repair_agent(url, name, apply=True).faults] == [14, 17]
    assert "new 5" in (events_of(url, name)[14].name or "")
    with Agent.open(url, name, retain=2.0) as agent:
        assert len(agent.pending) == len(old) + len(new) - 1
        now += 3 * 86_400.0
        agent._next_deletion = 0.0
        choose(agent, rng), agent.check_journal()
    assert all(event.name is None for event in events_of(url, name).values())
    changed(url, "delete from treebandit_snapshots where agent = {A}", name)
    with pytest.raises(JournalError, match="the snapshot of"):
        repair_agent(url, name, apply=True)


def test_the_journal_of_a_python_class_is_looked_at_and_not_changed(file: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("bandits.live.engine._MOST_DRAWS", 100)
    url, own = file, make("custom", rule=Coin)
    with Agent.open(url, "a", own, 2) as agent:
        agent.choose_many(4)
    assert repair_agent(url, "a", own).faults == []
    changed(url, UPDATE.replace("{}", "arm = 9"), "a", seq=3)
    whole = contents(url)
    assert [fault.number for fault in repair_agent(url, "a", own).faults] == [3]
    refused(lambda: repair_agent(url, "a", own, apply=True), "apply ", "custom")
    refused(lambda: repair_agent(url, "a"), "policy ")
    assert contents(url) == whole


def test_the_command_shows_the_first_event_that_does_not_fold(file: str, capsys: pytest.CaptureFixture[str]):
    def ran(*words: str) -> tuple[int, str, str]:
        return run_guarded(lambda: main(words)), *capsys.readouterr()

    sound = grown(file, "banner", "ucb")
    words = f"database={file}", "name=banner"
    assert ran(*words) == (0, f"all {len(sound)} events of 'banner' fold\n", "")
    changed(file, UPDATE.replace("{}", "arm = 99, time = 1e9"), "banner", seq=2)
    status, said, _ = ran(*words)
    assert status == 0
    _, event, _, hangs, _ = said.splitlines()
    assert event.startswith("  event 2 ('choice', 2001-09-09 01:46:40 UTC): ")
    assert hangs == f"  {repair_agent(file, 'banner').faults[1]}"
    assert ran(*words, "apply=true")[0] == 0
    assert ran(*words) == (0, f"all {len(sound) + 1} events of 'banner' fold\n", "")
    status, said, complaint = ran(f"database={file}", "name=banners")
    assert (status, said, complaint.count("\n")) == (2, "", 1)
    refused(lambda: repair_agent(file, "banners"), "name", "banner; got 'banners'")
    refused(lambda: repair_agent(f"{file}x", "banner"), "url")
    refused(lambda: repair_agent(file, "banner", "exp3"), "policy", "'ucb'; got 'exp3'")
    changed(file, "update treebandit_agents set description = '{' where id = {A}", "banner")
    assert ran(*words)[2].startswith("the description of 'banner' ")
