"""Killed at any moment and started again, a run ends with the same bytes; Ctrl-C is a sentence and status 130."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from tests.experiments.commands import hear_interrupts, until
from tests.internals import Processes, atomic_write
from tests.pages import ROOT

RUN = [sys.executable, "-m", "experiments.run", "bandit=thompson", "horizon=2000", "runs=12000", "seed=3"]
TABLES = ("curves.parquet", "pulls.parquet", "summary.csv")

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@contextlib.contextmanager
def started(folder, *more, run=RUN):
    """Start a run in a session of its own; it is gone, with all its workers, when the block ends."""
    with (folder.parent / "said").open("w+") as said:
        process = subprocess.Popen(
            [*run, f"hydra.run.dir={folder}", *more],
            env=ENVIRONMENT,
            cwd=folder.parent,
            stdout=said,
            stderr=said,
            start_new_session=True,
            preexec_fn=hear_interrupts,
        )
        process.said = lambda: (folder.parent / "said").read_text()
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_for_shards(folder, process):
    """Wait until a run has done a part of its work."""
    until(lambda: list(folder.glob("shards/policy*")) or process.poll() is not None, 120)
    assert process.poll() is None, process.said()


KINDS = {  # the executor, the run, what compiles it, its tables
    "regret": ("threads", RUN[3:], ("runs=10",), TABLES),
    "match": ("threads", ["experiment=match", "player1=level_3", "games=600"], ("games=10",), ("games.parquet",)),
    "random_games": (
        "processes",
        ["experiment=random_games", "board=5x4", "paths=400000", "position_paths=6000", "games=200000", "seed=2"],
        ("games=100", "paths=100", "position_paths=100"),
        ("lengths.csv", "summary.csv", "draws.csv", "laws.csv", "law_curves.csv", "counts.csv", "chances.csv"),
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_killed_at_random_moments_ends_with_the_same_bytes(tmp_path, kind):
    executor, words, few, tables = KINDS[kind]
    whole, folder = tmp_path / "whole", tmp_path / "killed"
    start = functools.partial(started, run=[*RUN[:3], *words, f"executor={executor}"])
    with start(tmp_path / "compiled", *few) as process:  # so that what is timed is no compiler
        assert process.wait(300) == 0, process.said()
    began = time.monotonic()
    with start(whole) as process:
        assert process.wait(300) == 0, process.said()
    seconds = time.monotonic() - began
    chance = random.Random(17)
    killed, kept = 0, {}
    for number in range(3):
        with start(folder) as process:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(chance.uniform(0.1, 0.8) * seconds)
            killed += process.poll() is None
            if process.poll() is None and number % 2:  # as a cluster ends it, in turn with kill -9
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(30)
        if (folder / "manifest.json").exists():  # it came to its end: the next one begins anew
            shutil.rmtree(folder)
        there = {path.name: path.stat().st_mtime_ns for path in (folder / "shards").glob("[!.]*")}
        for name in kept.keys() & there.keys():
            assert there[name] == kept[name], "a finished shard was played again"
        kept = there
    assert killed > 0
    with start(folder) as process:
        assert process.wait(300) == 0, process.said()
    for name in tables:
        assert (folder / name).read_bytes() == (whole / name).read_bytes()
    assert not list(folder.rglob(".*.half"))


STOPS = [("threads", None, signal.SIGINT), ("serial", None, signal.SIGTERM), ("processes", None, signal.SIGINT)]
STOPS += [("processes", seconds, signal.SIGINT) for seconds in (0.0, 0.3)]  # while its workers start


@pytest.mark.jit
@pytest.mark.parametrize(
    ("executor", "seconds", "stop"), [STOPS[0], *(pytest.param(*one, marks=pytest.mark.long) for one in STOPS[1:])]
)
def test_ctrl_c_and_sigterm_are_one_sentence_and_their_status(tmp_path, executor, seconds, stop):
    """Lines of progress may stand before it."""
    folder, word = tmp_path / "run", "interrupted" if stop == signal.SIGINT else "terminated"
    with started(folder, "runs=2000000", f"executor={executor}") as process:
        if seconds is None:
            wait_for_shards(folder, process)
        else:
            until((folder / "config.yaml").exists, 120)
            time.sleep(seconds)
        os.killpg(process.pid, stop)  # as a terminal or a cluster does, to the whole group
        assert process.wait(30) == 128 + stop, process.said()
        _assert_its_group_ends(process.pid)
        said = process.said().strip().splitlines()
    assert said[-1].startswith(word), said
    assert sum(line.startswith(word) for line in said) == 1, said
    assert not [line for line in said if "Error" in line or "Traceback" in line or "Exception" in line], said
    assert not (folder / "summary.csv").exists()


def _assert_its_group_ends(group):
    """Assert that soon no process is left that a command began; a dead one counts until the system has buried it."""

    def is_there():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, 0)
            return True

    until(lambda: not is_there())


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="this system has no /proc")
@pytest.mark.parametrize("whom", ["command", "worker"])
def test_workers_end_with_a_command_that_is_killed_and_one_that_is_killed_is_one_sentence(tmp_path, whom):
    folder = tmp_path / "run"
    with started(folder, "runs=2000000", "executor=processes", "executor.workers=2") as process:
        wait_for_shards(folder, process)
        if whom == "command":
            process.kill()
        else:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8").split()
            workers = [one for one in children if "spawn_main" in Path(f"/proc/{one}/cmdline").read_text("utf-8")]
            os.kill(int(workers[-1]), signal.SIGKILL)
        status = process.wait(30)
        _assert_its_group_ends(process.pid)
        said = process.said().strip()
    if whom == "worker":
        assert status == 2, said
        assert said.splitlines()[-1].startswith("executor: "), said
        assert "leaked" not in said


def _note_signals(place, fails=False):
    """A task that writes down who it is and whether it hears Ctrl-C, or fails once it has."""
    text = f"{os.getpid()} {signal.getsignal(signal.SIGINT) == signal.SIG_IGN}"
    with atomic_write(place / str(time.monotonic_ns())) as beside:  # another's failure may end this process here
        beside.write_text(text)
    if fails:
        raise ValueError("it fails")


@pytest.mark.long
@pytest.mark.jit
@pytest.mark.parametrize("fails", [False, True])
def test_workers_hear_no_ctrl_c_and_end_with_their_tasks(tmp_path, fails):
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="it fails") if fails else contextlib.nullcontext():
        list(Processes(workers=2).run([functools.partial(_note_signals, tmp_path, fails)] * 4))
    noted = [path.read_text().split() for path in tmp_path.glob("[0-9]*")]
    assert noted
    for pid, ignored in noted:
        assert ignored == "True"
        assert int(pid) != os.getpid()
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)
    assert signal.getsignal(signal.SIGINT) == before


def test_ctrl_c_before_any_work_leaves_no_folder(attempt, tmp_path, monkeypatch):
    def interrupt(config, folder, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr("experiments.engine.runs.start", interrupt)
    said = attempt("bandit=ucb")
    assert said.status == 130
    assert said.err.startswith("interrupted")
    assert not list((tmp_path / "results").glob("*/*"))


@pytest.mark.long
def test_commands_that_compile_into_one_cache_at_once_leave_the_same_bytes(command, tmp_path):
    run = ("bandit=ucb", "horizon=100", "runs=50", "figures=false")
    command(*run, "hydra.run.dir=whole")
    own = {"env": {**ENVIRONMENT, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}, "cwd": tmp_path}
    runs = [subprocess.Popen([*RUN[:3], *run, f"hydra.run.dir={number}"], **own) for number in range(2)]
    assert [one.wait(300) for one in runs] == [0, 0]
    for name in TABLES:
        assert len({(tmp_path / folder / name).read_bytes() for folder in ("whole", "0", "1")}) == 1, name


@pytest.mark.long
def test_a_disk_that_is_full_at_any_file_is_one_sentence_and_the_same_command_finishes_the_run(
    command, attempt, tmp_path, monkeypatch
):
    run = ("bandit=thompson", "horizon=50", "runs=700", "seed=3")
    command(*run, "hydra.run.dir=whole")
    flush, written = os.fsync, []

    def full(room, descriptor):
        written.append(descriptor)
        if len(written) == room + 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        flush(descriptor)

    for room in range(20):
        written.clear()
        with monkeypatch.context() as disk:
            disk.setattr(os, "fsync", functools.partial(full, room))
            said = attempt(*run, "hydra.run.dir=run")
        if said.status == 0:
            break
        assert said.status == 2
        assert "No space left on device" in said.err.splitlines()[-1]
        command(*run, "hydra.run.dir=run")
        for name in TABLES:
            assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
        assert not list((tmp_path / "run").rglob(".*.half"))
        shutil.rmtree(tmp_path / "run")
    assert room > 6  # configuration, shard, four tables and the manifest


@pytest.mark.long
def test_a_stop_of_seconds_under_a_budget_of_seconds_costs_no_game(tmp_path):
    match = ["experiment=match", "player1=uct", "player1.seconds=0.02", "player2=random", "games=6", "figures=false"]
    chance = random.Random(20)
    for number in range(2):
        folder = tmp_path / f"run{number}"
        with started(folder, "executor=serial", run=[*RUN[:3], *match]) as process:
            until(lambda: list(folder.glob("shards/*")), 120)  # noqa: B023
            time.sleep(chance.uniform(0.0, 0.5))
            process.send_signal(signal.SIGSTOP)
            time.sleep(5)
            process.send_signal(signal.SIGCONT)
            assert process.wait(120) == 0, process.said()
        games = pd.read_parquet(folder / "games.parquet")
        assert len(games) == 6
        assert set(games["ending"]) <= {"row", "full"}
