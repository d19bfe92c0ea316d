"""What befalls an agent in a database: kills, full disks, locks and lost connections; nothing acknowledged is lost."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import bandits
from bandits import Agent, JournalError, SharedAgent
from bandits.live import shared
from tests.bandits.live.test_connections import forks
from tests.bandits.live.test_shared import ARMS, go_on
from tests.refusals import refused

_OURS = tuple(str(Path(bandits.__file__).parent / folder) for folder in ("live", "journal"))


class StopError(Exception):
    """What a signal's handler raises."""


def choose_on(url: str, name: str, output: Path) -> None:
    """Choose and reward, and write what the database acknowledged."""
    with Agent.open(url, name) as agent, output.open("wb", buffering=0) as said:
        while True:
            with contextlib.suppress(JournalError):
                choice = agent.choose()
                said.write(f"choice {choice.id} {choice.index}\n".encode())
                agent.reward(choice, float(choice.index == 1))
                said.write(f"reward {choice.id} {float(choice.index == 1)}\n".encode())


def start(*given: Any) -> Any:
    """Fork a process that chooses until it is killed."""
    process = multiprocessing.get_context("fork").Process(target=choose_on, args=given, daemon=True)
    process.start()
    return process


def kill(process: Any) -> None:
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL, "it did not end by itself"


def acknowledged(output: Path) -> list[tuple[str, int, float]]:
    """What a process had said before it was killed; half a line does not count."""
    whole = output.read_text(encoding="utf-8").rpartition("\n")[0] if output.exists() else ""
    return [(kind, int(at), float(value)) for kind, at, value in (line.split() for line in whole.splitlines())]


def wait_for_more(outputs: list[Path]) -> None:
    before, until = [len(acknowledged(output)) for output in outputs], time.monotonic() + 60.0
    while any(len(acknowledged(output)) <= known for output, known in zip(outputs, before, strict=True)):
        assert time.monotonic() < until, "the processes choose no more"
        time.sleep(0.01)


def check(url: str, name: str, outputs: list[Path]) -> None:
    """Every acknowledged choice and reward is there, once, and the state is the fold."""
    with Agent.open(url, name) as agent:
        agent.check_journal()
        choices = dict(agent._journal.columns("choice", ("choice", "arm")))
        rewarded = [tuple(row) for row in agent._journal.columns("reward", ("choice", "reward"))]
        assert sorted(choices) == list(range(agent.choices))
        assert len({at for at, _ in rewarded}) == len(rewarded), "no reward counts twice"
        rewards = dict(rewarded)
        for output in outputs:
            for kind, at, value in acknowledged(output):
                assert (choices if kind == "choice" else rewards)[at] == value


@forks
@pytest.mark.program
@pytest.mark.parametrize("rounds", [1, pytest.param(4, marks=pytest.mark.long)])
def test_nothing_acknowledged_is_lost_when_processes_are_killed(rounds: int, url: str, name: str, tmp_path: Path):
    Agent.open(url, name, "ucb", ARMS).close()
    rng, outputs = np.random.default_rng(rounds), list[Path]()
    for at in range(rounds):
        new = [tmp_path / f"{at} {process}.txt" for process in range((3, 1, 4)[at % 3])]
        started = [start(url, name, output) for output in new]
        wait_for_more(new)
        for process in started:
            time.sleep(float(rng.uniform(0.0, 0.05)))
            kill(process)
        outputs += new
    check(url, name, outputs)


@forks
@pytest.mark.long
def test_nothing_acknowledged_is_lost_when_the_server_is_killed(own_postgres: Any, name: str, tmp_path: Path):
    Agent.open(own_postgres.url, name, "ucb", ARMS).close()
    outputs = [tmp_path / f"{at}.txt" for at in range(2)]
    started = [start(own_postgres.url, name, output) for output in outputs]
    for _ in range(2):
        wait_for_more(outputs)
        own_postgres.kill()
        own_postgres.start()
    for process in started:
        kill(process)
    check(own_postgres.url, name, outputs)


def test_a_locked_file_and_a_full_one_are_one_error_and_the_next_call_works(file: str, monkeypatch: pytest.MonkeyPatch):
    sqlalchemy = pytest.importorskip("sqlalchemy")
    from bandits.journal import urls

    monkeypatch.setattr(urls, "PATIENCE", 0.05)
    with Agent.open(file, "a", "ucb", ARMS) as agent:
        go_on(agent, 5)
        other = sqlalchemy.create_engine(file, isolation_level="AUTOCOMMIT").connect()
        other.exec_driver_sql("BEGIN EXCLUSIVE")
        with pytest.raises(JournalError, match="locked"):
            agent.choose()
        other.exec_driver_sql("ROLLBACK")
        other.close()
        go_on(agent, 5)
        with agent._journal._connected() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
        with pytest.raises(JournalError, match="full"):
            go_on(agent, 2_000)
        made = agent.choices
        go_on(agent, 5)
        assert agent.choices >= made + 5
        agent.check_journal()


@pytest.mark.program
def test_a_connection_that_the_server_ends_is_one_error_and_the_next_call_works(postgres: Any, name: str):
    psycopg = pytest.importorskip("psycopg")
    with Agent.open(postgres.url, name, "ucb", ARMS) as agent:
        go_on(agent, 4)
        with psycopg.connect(postgres.url, autocommit=True) as other:
            other.execute("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()")
        with pytest.raises(JournalError, match="the journal postgresql"):
            agent.choose()
        go_on(agent, 4)
        agent.check_journal()


def test_an_exception_within_a_statement_does_not_hinder_the_next_call(url: str, name: str):
    sqlalchemy = pytest.importorskip("sqlalchemy")

    with Agent.open(url, name, "ucb", ARMS) as agent:
        engine = agent._journal._database._engine

        def stop(*_: Any) -> None:
            raise KeyboardInterrupt

        for moment in ("before_cursor_execute", "after_cursor_execute"):
            for call in (agent.choose, lambda: agent.reward(agent.choose(), 1.0), agent.check_journal, agent.summary):
                sqlalchemy.event.listen(engine, moment, stop)
                with pytest.raises(KeyboardInterrupt):
                    call()  # type: ignore[operator]
                sqlalchemy.event.remove(engine, moment, stop)
                go_on(agent, 2)
                agent.check_journal()


def lose(agent: Any, last: int) -> None:
    """Set the database back: it has no event after this one."""
    table = agent._journal._tables.events
    with agent._journal._connected() as connection:
        connection.execute(table.delete().where(table.c.agent == agent._journal._agent, table.c.seq > last))


def test_a_database_that_was_set_back_is_told_once_and_gets_no_gap(file: str):
    pytest.importorskip("sqlalchemy")
    calls: list[tuple[int, Callable[[SharedAgent], Any]]] = [  # with events that another process has written since
        (0, lambda agent: agent.choose()),
        (12, lambda agent: agent.choose()),  # there is an event 20 again, and another one
        (3, lambda agent: agent.reward(0, 1.0)),
        (0, lambda agent: agent.pending),
        (3, lambda agent: agent.summary()),
        (0, lambda agent: agent.choose(key="request 1")),
    ]
    for at, (more, call) in enumerate(calls):
        with Agent.open(file, f"{at}", "thompson", ARMS) as agent:
            agent.choose_many(20)
            lose(agent, 10)
            with Agent.open(file, f"{at}") as other:
                for _ in range(more):
                    other.choose()
            with pytest.raises(JournalError, match="set back: event 20"):
                call(agent)
            assert agent.choose().id == 10 + more, "the next call goes on"
            agent.check_journal()


def test_a_snapshot_of_events_that_were_lost_is_not_used(file: str, name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shared, "_BETWEEN_SNAPSHOTS", 10)
    with Agent.open(file, name, "thompson", ARMS) as agent:
        go_on(agent, 14)
        lose(agent, 15)
    for _ in range(2):
        with Agent.open(file, name) as agent:
            agent.check_journal()
            go_on(agent, 6)


def test_a_file_that_was_removed_or_replaced_takes_no_event(file: str, tmp_path: Path):
    with Agent.open(file, "a", "thompson", ARMS) as agent:
        agent.choose()
        for part in tmp_path.iterdir():
            part.rename(part.with_name(part.name + ".old"))
        for call in (agent.choose, agent.summary, lambda: agent.pending):
            with pytest.raises(JournalError, match="unable to open"):
                call()
        assert not (tmp_path / "shop.db").exists()
        with Agent.open(file, "b", "thompson", ARMS) as other:
            other.choose()
            for _ in range(2):
                with pytest.raises(JournalError, match=r"set back|'a'"):
                    agent.choose()
            assert other.check_journal() == 1


def test_a_process_that_rested_while_features_were_deleted_goes_on(
    file: str, name: str, monkeypatch: pytest.MonkeyPatch
):
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    with Agent.open(file, name, "linucb", ARMS, features=3, retain=2.0) as busy:
        busy.choose([0.1] * 3)
        for call in (
            lambda agent: agent.choose([0.1] * 3),
            lambda agent: agent.reward(0, 1.0),
            lambda agent: agent.summary(),
            lambda agent: agent.check_journal(),
        ):
            with Agent.open(file, name) as idle:
                go_on(busy, 12)
                now += 3 * 86_400.0
                go_on(busy, 1)
                assert busy._journal.base() > 0
                with contextlib.suppress(ValueError):  # the reward comes too late
                    call(idle)
                go_on(idle, 3)
                idle.check_journal()


def test_old_features_and_keys_are_deleted_at_opening_and_by_time(url: str, name: str, monkeypatch: pytest.MonkeyPatch):
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)

    def kept(agent: SharedAgent) -> list[tuple[bool, bool]]:
        events = [event for _, event in agent._journal.read(0)]
        return [(event.features is not None, event.key is not None) for event in events if event.kind == "choice"]

    with Agent.open(url, name, "linucb", ARMS, features=3, retain=2.0) as agent:
        for at in range(3):
            agent.choose([0.1] * 3, key=f"user {at}")
        now += 3 * 86_400.0
        agent.choose([0.1] * 3, key="user 3")
        assert kept(agent) == [(False, False)] * 3 + [(True, True)]
        agent.check_journal()
        assert agent.choose([0.1] * 3, key="user 0").id == 4, "a key that was deleted is a new request"
    now += 3 * 86_400.0
    with Agent.open(url, name, retain=2.0) as agent:
        assert kept(agent) == [(False, False)] * 5
        refused(lambda: agent.reward(0, 1.0), "reward of choice 0 ", "features")
        agent.check_journal()


def test_arms_come_and_go_for_all_processes_which_know_a_choice_of_a_new_arm(url: str, name: str):
    with Agent.open(url, name, "ucb", ARMS) as one, Agent.open(url, name) as other:
        for at, look in enumerate(
            [
                lambda agent, key: agent.choose(key=key).arm,
                lambda agent, key: agent.pending[-1].arm,
                lambda agent, key: agent.arms[-1],
            ]
        ):
            one.add_arm(f"new {at}")
            assert one.choose(key=f"visit {at}").arm == f"new {at}"
            assert look(other, f"visit {at}") == f"new {at}"
        one.retire_arm("red")
        assert (other.retired, other.choices) == (["red"], 3)
        refused(lambda: other.add_arm("new 0"), "arm", "got 'new 0'")
        assert "red" not in go_on(one, 9) + go_on(other, 9)
    with Agent.open(url, name, arms=ARMS) as third:
        assert third.retired == ["red"]
        third.check_journal()


def test_no_statement_for_one_choice_reads_all_events_of_an_agent(file: str):
    sqlalchemy = pytest.importorskip("sqlalchemy")
    seen = [0.1] * 3
    with Agent.open(file, "a", "linucb", ARMS, features=3, retain=2.0) as agent:

        def plans(*calls: Callable[[], object]) -> list[str]:
            """How the statements of some calls find events."""
            sent: list[tuple[str, Any]] = []

            def keep(connection: Any, cursor: Any, statement: str, given: Any, *_: Any) -> None:
                sent.append((statement, given))

            sqlalchemy.event.listen(agent._journal._database._engine, "before_cursor_execute", keep)
            for call in calls:
                agent._remembered.clear()
                call()
            sqlalchemy.event.remove(agent._journal._database._engine, "before_cursor_execute", keep)
            with agent._journal._connected() as connection:
                return [
                    row[3]
                    for statement, given in sent
                    if "treebandit_events" in statement
                    for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", given)
                ]

        single = plans(
            *[lambda: agent.choose(seen, key="a")] * 2,
            lambda: agent.reward(agent.choose(seen).id, 1.0),
            lambda: agent.reward(0, 1.0),
            lambda: agent.forget([agent.choose(seen)]),
        )
        assert single
        assert not [plan for plan in single if plan.startswith("SCAN treebandit") or plan.endswith("(agent=?)")], single
        several = plans(lambda: agent.pending, agent.summary)
        assert not [plan for plan in several if "SCAN treebandit" in plan or "CORRELATED" in plan]


# ---------------------------------------------------------------- an exception from outside at any line of a call


def interrupted(call: Callable[[], object], line: int, inside: tuple[str, ...] = _OURS) -> bool:
    """Carry out a call with an exception at a line of some files, counted; return whether it has so many."""
    left = line

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.startswith(inside):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                sys.settrace(None)
                raise StopError
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except StopError:
        return True
    finally:
        sys.settrace(before)
    return False


def at_each_line(call: Callable[[], object], check: Callable[[], object], step: int) -> None:
    """Interrupt a call at each `step`-th line, and look at the agent after each."""
    line = 1
    while interrupted(call, line):
        check()
        line += step
    assert line > 20, "the call has some lines"


@pytest.mark.parametrize(("policy", "step"), [("ucb", 41), pytest.param("exp3", 5, marks=pytest.mark.long)])
def test_an_agent_in_a_database_agrees_with_its_journal_after_an_interrupt(policy: str, step: int, file: str):
    with Agent.open(file, "a", policy, 2) as one, Agent.open(file, "a", policy) as other:
        foreign = [other.choose()]

        def check() -> None:
            one.reward(one.choose(), 1.0)
            if one.choices % 8 == 0:  # it reads all events, and what is wrong stays so
                one.check_journal()
            foreign[0] = other.choose()  # which the next call must learn first

        for call in (
            one.choose,
            lambda: one.choose(key=f"request {one._made}"),
            lambda: one.reward(foreign[0].id, 1.0),
        ):
            at_each_line(call, check, step)
        one.check_journal(), other.check_journal()


@pytest.mark.parametrize("step", [41, pytest.param(5, marks=pytest.mark.long)])
def test_arms_and_choices_to_forget_agree_with_the_journal_after_an_interrupt(step: int, file: str):
    with Agent.open(file, "a", "ucb", ARMS) as agent:

        def change() -> None:
            (agent.retire_arm if "pink" in agent.arms and "pink" not in agent.retired else agent.add_arm)("pink")

        at_each_line(change, agent.check_journal, step)
        at_each_line(lambda: agent.forget([agent.choose()]), agent.check_journal, step)


@pytest.mark.parametrize("policy", ["ucb", pytest.param("exp3", marks=pytest.mark.long)])
def test_an_agent_in_memory_agrees_with_its_ledger_after_an_interrupt(policy: str):
    agent = Agent(policy, ARMS)

    def check() -> None:
        agent.reward(agent.choose(), 1.0)
        pulls = [agent._play.engine.column(arm)[0] for arm in range(3)]
        assert pulls == [len(paid) for paid in agent._ledger.paid]
        assert agent._play.step == agent.choices
        waiting = np.isnan(agent._ledger.outcomes)
        assert np.flatnonzero(waiting).tolist() == [choice.id for choice in agent.pending]

    for call in (agent.choose, lambda: agent.reward(agent.choose(), 1.0)):
        at_each_line(call, check, 1)


def test_an_exception_within_the_library_of_the_database_arrives_as_itself(file: str):
    default = pytest.importorskip("sqlalchemy.engine.default")
    with Agent.open(file, "a", "ucb", ARMS) as agent:
        for line in range(1, 60, 7):
            assert interrupted(agent.choose, line, (default.__file__,))
            agent.check_journal()


def test_a_reward_that_was_interrupted_may_be_told_again():
    agent = Agent("ucb", ARMS)
    at, line = agent.choose().id, 1
    while interrupted(lambda: agent.reward(agent.choices - 1, 1.0), line):
        agent.reward(at, 1.0)
        assert sum(len(paid) for paid in agent._ledger.paid) == line
        at, line = agent.choose().id, line + 1


def test_a_choice_that_was_being_forgotten_can_be_forgotten_again():
    agent = Agent("ucb", ARMS)
    for line in range(1, 60):
        choice = agent.choose()
        interrupted(lambda choice=choice: agent.forget([choice]), line)
        agent.forget([choice])
        assert not agent.pending
