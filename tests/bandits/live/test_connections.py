"""The connections to databases: first openings, forks, close, limits, poolers, and what a database says."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from bandits import Agent, JournalError
from bandits.journal import connections, schema
from tests.bandits.live.conftest import free_port
from tests.bandits.live.test_shared import ARMS, go_on
from tests.internals import Journal
from tests.refusals import refused


def forks(test: Any) -> Any:
    """Mark a test that forks, of which Python 3.12 warns where a runner has threads."""
    quiet = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
    return pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")(quiet(test))


@contextmanager
def new_database(server: Any, name: str) -> Iterator[str]:
    """The URL of a new database of a server."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(server.url, autocommit=True) as other:
        other.execute(f'create database "{name}"')
    yield server.url.rpartition("/")[0] + f"/{name}"


def in_children(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What work returns in forked processes, each begun when all are there."""
    fork = multiprocessing.get_context("fork")
    there, answers = fork.Barrier(count), fork.SimpleQueue()

    def answer(at: int) -> None:
        there.wait()
        try:
            answers.put((at, work(at)))
        except BaseException as error:
            answers.put((at, f"{type(error).__name__}: {error}"))

    children = [fork.Process(target=answer, args=(at,)) for at in range(count)]
    for child in children:
        child.start()
    found = dict(answers.get() for _ in children)
    for child in children:
        child.join()
    return [found[at] for at in range(count)]


# ---------------------------------------------------------------- the first opening


def open_once(url: str) -> str:
    Journal(url).close()
    return "opened"


@forks
def test_eight_processes_that_open_a_new_file_at_once_all_succeed(file: str):
    assert in_children(8, lambda _: open_once(file)) == ["opened"] * 8


@forks
@pytest.mark.program
def test_eight_processes_that_open_a_new_database_at_once_all_succeed(postgres: Any):
    with new_database(postgres, "first") as url:
        assert in_children(8, lambda _: open_once(url)) == ["opened"] * 8


@forks
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.long)])
def test_a_first_opening_that_is_killed_after_any_statement_is_repeated(step: int, tmp_path: Path):
    sqlalchemy = pytest.importorskip("sqlalchemy")

    for statement in range(1, 1000, step):
        url = f"sqlite:///{tmp_path / f'{statement}.db'}"
        child, left = os.fork(), iter(range(statement - 1))
        if child == 0:
            kill = lambda *_: next(left, None) is not None or os._exit(9)  # noqa: B023, E731
            sqlalchemy.event.listen(sqlalchemy.Engine, "after_cursor_execute", kill)
            open_once(url)
            os._exit(0)
        whole = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        with Agent.open(url, "a", "ucb", ARMS) as agent:
            go_on(agent, 2)
            agent.check_journal()
        if whole:
            assert statement > 8, "a first opening has some statements"
            return


@pytest.mark.parametrize("tables", [0, 3])
def test_a_file_in_which_an_older_version_was_killed_opens(tables: int, file: str):
    sqlalchemy = pytest.importorskip("sqlalchemy")
    made = schema.tables()
    with sqlalchemy.create_engine(file).begin() as connection:
        made.metadata.create_all(connection, tables=[made.form, made.agents, made.events, made.snapshots][: tables + 1])
    with Agent.open(file, "a", "ucb", ARMS) as agent:
        go_on(agent, 2)
        agent.check_journal()


def test_a_wrong_path_without_a_policy_leaves_no_file(file: str, tmp_path: Path):
    refused(lambda: Agent.open(file, "a"), "url", "shop.db")
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------- forks


@forks
def test_each_forked_process_gets_the_choices_of_its_own_requests(url: str, name: str):
    with Agent.open(url, name, "thompson", ARMS) as agent:
        for at in range(2):
            agent.choose()

            def ask(child: int, at: int = at) -> list[list[Any]]:
                keys = [f"{at} {child} {call}" for call in range(4)]
                with ThreadPoolExecutor(2) as threads:
                    chosen = list(threads.map(lambda key: agent.choose(key=key), keys))
                agent.reward(chosen[0], 1.0)
                return [[key, one.id, one.arm, one.propensity] for key, one in zip(keys, chosen, strict=True)]

            answers = in_children(4, ask)
            assert all(isinstance(answer, list) for answer in answers), answers
            for key, *made in itertools.chain.from_iterable(answers):
                again = agent.choose(key=key)
                assert [again.id, again.arm, again.propensity] == made
        assert agent.choices == 2 * 17
        agent.check_journal()


@forks
def test_a_fork_while_other_threads_choose_leaves_whole_agents_to_both(url: str, name: str):
    with Agent.open(url, name, "ucb", ARMS) as agent:
        ended = threading.Event()

        def choose() -> None:
            while not ended.is_set():
                agent.reward(agent.choose(), 1.0)

        with ThreadPoolExecutor(3) as threads:
            running = [threads.submit(choose) for _ in range(3)]
            answers = [in_children(1, lambda _: agent.choose().id) for _ in range(3)]
            ended.set()
            assert [each.result() for each in running] == [None] * 3
        assert all(isinstance(answer, int) for (answer,) in answers), answers
        agent.check_journal()


@forks
def test_a_forked_process_is_refused_an_agent_in_memory_of_its_parent():
    agent = Agent("thompson", ARMS)
    choice = agent.choose()
    for call in (agent.choose, lambda: agent.reward(choice, 1.0), agent.to_frame):
        (said,) = in_children(1, lambda _, call=call: call())  # type: ignore[misc]
        assert said.startswith("ValueError: agent ")
    assert agent.reward(choice, 1.0)


# ---------------------------------------------------------------- close


def test_an_agent_may_be_closed_while_threads_choose(file: str):
    def choose(agent: Agent) -> None:
        while True:
            agent.reward(agent.choose(), 1.0)

    for _ in range(8):
        agent = Agent.open(file, "a", "ucb", 3)
        with ThreadPoolExecutor(3) as threads:
            running = [threads.submit(choose, agent) for _ in range(3)]
            while agent.choices < 9:
                pass
            agent.close()
        for each in running:
            refused(each.result, "", "is closed")


def test_every_call_of_a_closed_agent_is_refused(file: str):
    agent = Agent.open(file, "a", "ucb", ARMS)
    choice = agent.choose()
    agent.close()
    agent.close()
    changing = [agent.choose, lambda: agent.reward(choice, 1.0), lambda: agent.forget([choice])]
    for call in (*changing, lambda: agent.add_arm("pink"), lambda: agent.pending, agent.summary, agent.check_journal):
        refused(call, "the journal ", "is closed")


# ---------------------------------------------------------------- how many


@forks
def test_many_agents_live_with_few_descriptors(file: str):
    def live(_: int) -> int:
        import resource

        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        agents = [Agent.open(file, f"a{at}", "epsilon_greedy", 2) for at in range(80)]
        for agent in agents:
            agent.reward(agent.choose(), 1.0)
        return sum(len(agent.pending) for agent in agents)

    assert in_children(1, live) == [0]


@pytest.mark.program
def test_agents_and_threads_share_ten_connections_that_end_with_the_last_agent(postgres: Any, name: str):
    psycopg = pytest.importorskip("psycopg")
    agents = [Agent.open(postgres.url, f"{name} {at}", "ucb", ARMS) for at in range(15)]
    with ThreadPoolExecutor(15) as threads:
        list(threads.map(lambda agent: go_on(agent, 3), agents))
    with psycopg.connect(postgres.url, autocommit=True) as other:
        count = (
            "select count(*) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'"
        )
        assert 1 <= other.execute(count).fetchone()[0] <= connections.MOST
        for agent in agents:
            agent.check_journal()
            agent.close()
        until = time.monotonic() + 30.0
        while other.execute(count).fetchone()[0] and time.monotonic() < until:
            time.sleep(0.02)
        assert other.execute(count).fetchone()[0] == 0


# ---------------------------------------------------------------- poolers, options, isolation


def choose_together(url: str, name: str) -> None:
    """Let four threads choose, each by an agent of its own."""
    Agent.open(url, name, "ucb", ARMS).close()
    agents = [Agent.open(url, name) for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda agent: go_on(agent, 6), agents))
    for agent in agents:
        assert agent.choices == 24
        agent.check_journal()
        agent.close()


@pytest.mark.program
def test_a_pooler_of_connections_for_each_transaction_may_stand_between(
    postgres: Any, name: str, program: Callable[[str], str]
):
    pooler = program("pgbouncer")
    port = free_port()
    settings = postgres.data.parent / "pooler.ini"  # in a folder that its user can come to
    settings.write_text(
        f"[databases]\npostgres = host=127.0.0.1 port={postgres.port} user=shop\n[pgbouncer]\n"
        f"listen_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\npool_mode = transaction\n"
        "default_pool_size = 2\nunix_socket_dir =\n",
        encoding="utf-8",
    )
    started = subprocess.Popen(
        [pooler, str(settings)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **postgres.user
    )
    try:
        until = time.monotonic() + 30.0
        while time.monotonic() < until:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        url = f"postgresql://shop@127.0.0.1:{port}/postgres"
        choose_together(url, name)
    finally:
        started.terminate()
        started.wait()


@pytest.mark.program
def test_a_server_may_isolate_transactions_more_strictly(postgres: Any, name: str):
    with new_database(postgres, "strict") as url:
        import psycopg

        with psycopg.connect(url, autocommit=True) as other:
            other.execute("alter database strict set default_transaction_isolation = 'serializable'")
        choose_together(url, name)


@pytest.mark.program
def test_options_of_a_url_have_their_types(postgres: Any, name: str):
    with Agent.open(f"{postgres.url}?prepare_threshold=0&connect_timeout=5", name, "ucb", ARMS) as agent:
        go_on(agent, 3)
        agent.check_journal()


@pytest.mark.parametrize(
    ("wrong", "facts"),
    [
        ("postgresql://a@b/c?prepare_threshold=x", ("prepare_threshold", "got 'x'")),
        ("postgresql://a@b/c?autocommit=1", ("got 'autocommit'",)),
        ("sqlite:///x.db?mode=ro", ("timeout", "got 'mode'")),
        (7, ("sqlite:///PATH", "got 7")),
        ("shop.db", ("sqlite:///PATH",)),
        ("mysql://a@b/c", ("sqlite:///PATH", "got mysql://")),
        ("sqlite:///:memory:", ("sqlite:///PATH",)),
    ],
)
def test_a_wrong_url_or_option_of_it_is_refused(wrong: Any, facts: tuple[str, ...]):
    pytest.importorskip("psycopg")
    refused(lambda: Agent.open(wrong, "a", "ucb", 2), "url", *facts)


@pytest.mark.program
def test_a_server_that_answers_has_refused(postgres: Any):
    nowhere = postgres.url.rpartition("/")[0] + "/nowhere"
    with pytest.raises(JournalError, match="/nowhere refused"):
        Agent.open(nowhere, "a", "ucb", 2)
    with pytest.raises(JournalError, match=":1/x did not answer"):
        Agent.open("postgresql://shop@127.0.0.1:1/x", "a", "ucb", 2)
