"""The rows of live agents: decisions a second from Python on one core, beside other libraries and in a database."""

from __future__ import annotations

import contextlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bandits import Agent, make
from benchmarks.live_peers import ARMS, PAIRS, PAYS, Step, step_of
from benchmarks.live_service import service_rows
from benchmarks.peers import label
from benchmarks.processes import ROOT
from benchmarks.row import Row
from benchmarks.timing import processor_seconds

WANTED = {"ucb": 120_000, "epsilon_greedy": 120_000, "thompson": 40_000}  # decisions a second
PROPENSITIES = {("thompson", ARMS): 200e-6, ("thompson", 1_000): 10e-3, ("lin_thompson", 300): 10e-3}  # seconds
SUMMARY = 8e-6  # seconds a choice of a summary, beside a second
SHARED = {1: 2_000, 4: 1_000}  # choose + reward pairs a second, by the processes that share an agent


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    seconds: float
    pairs: int
    choices: int = 1_000_000  # of a summary


QUICK, FULL = Size(0.3, 500, 20_000), Size(1.5, 3_000)

_PROCESS = """
import sys, time
from bandits import Agent, make
with Agent.open(sys.argv[1], "banner") as agent:
    agent.reward(agent.choose(), 0.0)
    print("ready", flush=True)
    sys.stdin.readline()
    for _ in range(int(sys.argv[2])):
        choice = agent.choose()
        agent.reward(choice, float(choice.index == 3))
"""


def live_rows(size: Size) -> Iterator[Row]:
    """Return a line for each limit, and one for each policy beside each library."""
    for policy, wanted in WANTED.items():
        speed = _speed(agent_step(policy), size.seconds)
        yield _per_second(f"choose + reward in memory, {policy}, {ARMS} arms", speed, wanted)
    for (policy, library), theirs in PAIRS.items():
        yield peer_row(policy, library, theirs, size)
    yield peer_row("epsilon_greedy", "gittins", "with the propensity of every choice", size, read=True)
    for (policy, arms), limit in PROPENSITIES.items():
        yield propensity_row(policy, arms, limit)
    yield from journal_rows(size)
    yield summary_row(size.choices)
    yield from service_rows(2 * size.pairs)


def peer_row(policy: str, library: str, theirs: str, size: Size, read: bool = False) -> Row:
    """Return the line of a policy beside a library's nearest one; `read` asks our agent for each propensity, too."""
    try:
        step = step_of(library, policy)
    except ImportError as error:
        return Row(f"choose + reward, {policy}: {library}, {theirs}", skipped=str(error))
    own = agent_step(policy, read)
    speeds = np.array([(_speed(own, size.seconds / 5.0), _speed(step, size.seconds / 5.0)) for _ in range(5)])
    ours, other = np.median(speeds, axis=0).tolist()
    ratio = float(np.median(speeds[:, 0] / speeds[:, 1]))
    what = f"choose + reward, {policy}: {label(library)}, {theirs}"
    texts = f"{ours:,.0f} /s", f"{other:,.0f} /s"
    return Row(what, *texts, ratio) if read else Row(what, *texts, ratio, 1.0, ratio > 1.0)


def agent_step(policy: str, read: bool = False) -> Step:
    """Return the step of an agent; `read` asks for the propensity of every choice."""
    agent = Agent(policy, arms=ARMS)

    def step() -> int:
        choice = agent.choose()
        if read:
            choice.propensity  # noqa: B018 (it is computed when it is read)
        agent.reward(choice, 1.0 if choice.index == PAYS else 0.0)
        return choice.index

    return step


def propensity_row(policy: str, arms: int, limit: float) -> Row:
    """Return the line of a policy's propensity after 300 rewards; 5 features if it sees some."""
    features = 5 if make(policy).needs_features else None
    agent, rng = Agent(policy, arms=arms, features=features), np.random.default_rng(0)
    taken = []
    for step in range(500):
        choice = agent.choose(None if features is None else rng.normal(size=features).tolist())
        if step >= 300:
            start = time.perf_counter()
            choice.propensity  # noqa: B018 (it is computed when it is read)
            taken.append(time.perf_counter() - start)
        agent.reward(choice, float(rng.random() < 0.1 + 0.3 * choice.index / arms))
    seconds = statistics.median(taken)
    what = f"true propensity of {policy}, {arms:,} arms"
    return Row(what, _short(seconds), f"limit {_short(limit)}", limit / seconds, 1.0, seconds < limit)


def _short(seconds: float) -> str:
    return f"{seconds * 1e6:.0f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def journal_rows(size: Size) -> Iterator[Row]:
    """Return a line for an agent in a file of SQLite, alone and shared by four processes; propensities are stored."""
    for processes, wanted in SHARED.items():
        with tempfile.TemporaryDirectory() as folder:
            url = f"sqlite:///{Path(folder) / 'shop.db'}"
            Agent.open(url, "banner", "thompson", ARMS).close()
            speed = pairs_a_second(url, processes, size.pairs)
        who = "one process" if processes == 1 else f"{processes} processes on one agent"
        yield _per_second(f"choose + reward in SQLite, thompson, {who}", speed, wanted)


def summary_row(choices: int) -> Row:
    """Return the line of the first summary of an agent in SQLite, every tenth of whose choices is pending."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shop.db"
        with Agent.open(f"sqlite:///{path}", "banner", "epsilon_greedy", ARMS) as agent:
            agent.reward(agent.choose(), 1.0)
            agent.summary()  # compiles
            agent._seq, agent._time, agent._made = *_fill(path, choices), choices  # without the choices themselves
            start = processor_seconds()
            agent.summary()
            seconds = processor_seconds() - start
    limit = 1.0 + SUMMARY * choices
    what = f"summary of {choices:,} choices in SQLite, {ARMS} arms"
    return Row(what, f"{seconds:.2f} s", f"limit {limit:g} s", limit / seconds, 1.0, seconds < limit)


def _fill(path: Path, choices: int) -> tuple[int, float]:
    """Write choices and rewards of the first agent, as if it had made them, and return the last one's place."""
    rng, rows = np.random.default_rng(0), list[tuple[object, ...]]()
    for at, (arm, u) in enumerate(zip(rng.integers(ARMS, size=choices).tolist(), rng.random(choices), strict=True)):
        rows.append((1, len(rows) + 1, "choice", float(at), at, arm, 1.0 / ARMS, None))
        if at % 10:
            rows.append((1, len(rows) + 1, "reward", at + 0.5, at, arm, None, float(u < 0.1)))
    rows.append((1, len(rows) + 1, "forgotten", float(choices), 0, 0, None, None))
    names = "agent, seq, kind, time, choice, arm, propensity, reward"
    with contextlib.closing(sqlite3.connect(path)) as file, file:
        file.execute("delete from treebandit_events")
        file.executemany(f"insert into treebandit_events ({names}) values (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    return len(rows), float(choices)


def pairs_a_second(url: str, processes: int, pairs: int) -> float:
    """Return how many pairs a second processes have made together, each of them as many."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", _PROCESS, url, str(pairs // processes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            cwd=ROOT,
        )
        for _ in range(processes)
    ]
    for process in started:
        assert process.stdout is not None
        process.stdout.readline()
    start = time.perf_counter()
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in started:
        process.communicate()
    return pairs // processes * processes / (time.perf_counter() - start)


def _per_second(what: str, speed: float, wanted: int) -> Row:
    return Row(what, f"{speed:,.0f} /s", f"limit {wanted:,} /s", speed / wanted, 1.0, speed >= wanted)


def _speed(step: Step, seconds: float) -> float:
    """Return how many steps there are in a second of the processor, after some that only warm up."""
    for _ in range(20):
        step()
    steps, start = 0, processor_seconds()
    while processor_seconds() - start < seconds:
        for _ in range(20):
            step()
        steps += 20
    return steps / (processor_seconds() - start)
