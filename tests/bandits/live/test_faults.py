"""What befalls an agent in a database: kills, full disks, locks and lost connections; nothing acknowledged is lost."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bandits import Agent
from bandits.journal.store import JournalError
from tests.bandits.live.test_shared import ARMS, go_on

_TRAFFIC = """
import os, sys
from bandits import Agent
from bandits.journal.store import JournalError
agent = Agent.open(sys.argv[1], sys.argv[2])
while True:
    try:
        choice = agent.choose()
        os.write(1, f"choice {choice.id} {choice.index}\\n".encode())
        agent.reward(choice, float(choice.index == 1))
        os.write(1, f"reward {choice.id} {float(choice.index == 1)}\\n".encode())
    except JournalError:
        pass
"""


def acknowledged(output: Path) -> list[tuple[str, int, float]]:
    """What a process had said before it was killed; half a line does not count."""
    whole = output.read_text(encoding="utf-8").rpartition("\n")[0]
    return [(kind, int(at), float(value)) for kind, at, value in (line.split() for line in whole.splitlines())]


def start(url: str, name: str, output: Path) -> subprocess.Popen[bytes]:
    with output.open("wb") as file:
        return subprocess.Popen([sys.executable, "-c", _TRAFFIC, url, name], stdout=file)


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


def killed(url: str, name: str, folder: Path, kills: int, processes: int) -> None:
    """Kill processes under traffic, and look whether anything is lost."""
    Agent.open(url, name, "ucb", ARMS).close()
    rng, outputs = np.random.default_rng(kills), list[Path]()
    while kills > 0:
        started = []
        for _ in range(min(processes, kills)):
            outputs.append(folder / f"{len(outputs)}.txt")
            started.append(start(url, name, outputs[-1]))
        while not all(acknowledged(output) for output in outputs[-len(started) :]):
            time.sleep(0.01)
        for process in started:
            time.sleep(float(rng.uniform(0.0, 0.05)))
            process.kill()
            process.wait()
        kills -= len(started)
    check(url, name, outputs)


@pytest.mark.program
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such kills")
def test_nothing_acknowledged_is_lost_when_processes_are_killed(url: str, name: str, tmp_path: Path):
    killed(url, name, tmp_path, 3, 3)


@pytest.mark.long
@pytest.mark.program
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such kills")
def test_nothing_acknowledged_is_lost_in_a_hundred_kills(url: str, name: str, tmp_path: Path):
    for processes in (1, 2, 4):
        killed(url, f"{name} {processes}", tmp_path, 34, processes)


@pytest.mark.long
@pytest.mark.program
@pytest.mark.parametrize("rounds", [10])
def test_nothing_acknowledged_is_lost_when_the_server_is_killed(rounds: int, name: str, tmp_path: Path):
    from tests import postgres as servers

    pytest.importorskip("psycopg")
    if servers.programs() is None:
        pytest.skip("no PostgreSQL in /usr/lib/postgresql or on PATH")
    with servers.server() as server:
        Agent.open(server.url, name, "ucb", ARMS).close()
        outputs = [tmp_path / f"{at}.txt" for at in range(2)]
        started = [start(server.url, name, output) for output in outputs]
        for _ in range(rounds):
            before = [len(acknowledged(output)) for output in outputs]
            while any(len(acknowledged(output)) <= known for output, known in zip(outputs, before, strict=True)):
                time.sleep(0.02)
            server.kill()
            server.start()
        for process in started:
            process.kill()
            process.wait()
        check(server.url, name, outputs)


def test_a_locked_file_a_full_one_and_a_lost_connection_are_one_error_and_the_next_call_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    sqlalchemy = pytest.importorskip("sqlalchemy")
    from bandits.journal import urls

    monkeypatch.setattr(urls, "PATIENCE", 0.05)
    url = f"sqlite:///{tmp_path / 'shop.db'}"
    with Agent.open(url, "a", "ucb", ARMS) as agent:
        go_on(agent, 5)
        other = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT").connect()
        other.exec_driver_sql("BEGIN EXCLUSIVE")
        with pytest.raises(JournalError, match="database is locked"):
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
        with pytest.raises(JournalError, match=r"^the journal postgresql.* did not answer: "):
            agent.choose()
        go_on(agent, 4)
        agent.check_journal()
