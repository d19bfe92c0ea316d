"""Tasks on a Dask cluster: the same bytes as anywhere, and a sentence for a cluster that cannot do them."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import types
from pathlib import Path

import pytest

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed (extra cluster)")
psutil = pytest.importorskip("psutil", reason="which dask.distributed brings")

from tests.experiments.commands import hear_interrupts, split_words, until  # noqa: E402
from tests.internals import Task, atomic_write, dask  # noqa: E402
from tests.refusals import refused  # noqa: E402

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
RUN = [sys.executable, "-m", "experiments.run"]
TOURNAMENT = split_words("experiment=tournament players=[random,level_2,level_3] games=8 board=4x3 connect=3 seed=3")
STANDINGS = ("games.parquet", "standings.csv", "pairs.csv", "crosstable.csv")
LONG = ("bandit=thompson", "horizon=1000", "runs=12000", "seed=3", "figures=false")
REGRET = ("curves.parquet", "pulls.parquet", "summary.csv")


def start(words, folder, environment=ENVIRONMENT, **settings):
    """Start a command in a folder; its two streams can be read."""
    return subprocess.Popen(
        words, env=environment, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **settings
    )


@contextlib.contextmanager
def cluster(workers, folder, environment=ENVIRONMENT):
    """Start a scheduler and workers, processes of their own; yields the address, the scheduler and the workers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    python, quiet = [sys.executable, "-m"], {"env": environment, "cwd": folder, "stderr": subprocess.DEVNULL}
    common = ["--no-dashboard", "--host", "127.0.0.1"]
    port = ["--port", address.rpartition(":")[2]]
    scheduler = subprocess.Popen([*python, "distributed.cli.dask_scheduler", *common, *port], **quiet)
    worker = [*python, "distributed.cli.dask_worker", address, *common, "--nthreads", "1", "--no-nanny"]
    processes = [subprocess.Popen(worker, **quiet) for _ in range(workers)]
    try:
        with distributed.Client(address, timeout=60) as client:
            client.wait_for_workers(workers, timeout=60)
        yield address, scheduler, processes
    finally:
        for process in [*processes, scheduler]:
            process.kill()
            process.wait()


def finish(run, status=0):
    """Wait for a command that was started; return what it said."""
    try:
        _, said = run.communicate(timeout=300)
    finally:
        run.kill()
        run.wait()
    assert run.returncode == status, said
    return said


def assert_same(folder, whole, tables):
    for name in tables:
        assert (folder / name).read_bytes() == (whole / name).read_bytes(), name


def test_a_cluster_leaves_the_same_bytes(finished, command, client, monkeypatch, tmp_path):
    finished(*TOURNAMENT, "hydra.run.dir=whole")
    monkeypatch.setattr(dask, "connect", lambda *_: client)
    command(*TOURNAMENT, "executor=dask", "hydra.run.dir=cluster")
    assert_same(tmp_path / "cluster", tmp_path / "whole", STANDINGS)


@pytest.mark.long
def test_a_cluster_of_this_machine_has_as_many_workers_as_are_asked_for_and_listens_to_this_machine():
    client = dask.connect(1, None, 60.0)
    try:
        client.wait_for_workers(1, timeout=60)
        assert len(client.nthreads()) == len(client.cluster.workers) == 1
        processes = [psutil.Process(), *psutil.Process().children(recursive=True)]
        listening = [
            one.laddr.ip for process in processes for one in process.net_connections() if one.status == "LISTEN"
        ]
        assert listening
        assert set(listening) == {"127.0.0.1"}
    finally:
        dask.connect.cache_clear()
        client.close()
        client.cluster.close()


@pytest.mark.long
def test_a_sweep_has_one_client_and_the_same_bytes(finished, tmp_path):
    sweep = ("-m", "bandit.c=0.5,1,2", "horizon=50", "runs=600")
    finished(*sweep, "hydra.sweep.dir=whole")
    finish(start([*RUN, *sweep, "executor=dask", "executor.workers=1", "hydra.sweep.dir=cluster"], tmp_path))
    assert_same(tmp_path / "cluster", tmp_path / "whole", ["sweep.csv"])


@pytest.mark.long
@pytest.mark.parametrize("whom", ["worker", "scheduler"])
def test_a_killed_worker_costs_its_tasks_and_a_killed_scheduler_a_sentence(finished, command, tmp_path, whom):
    finished(*LONG, "hydra.run.dir=whole")
    folder = tmp_path / "killed"
    with cluster(2, tmp_path) as (address, scheduler, workers):
        words = [*RUN, *LONG, "executor=dask", f"executor.address={address}", f"hydra.run.dir={folder}"]
        run = start(words, tmp_path)
        until(lambda: list(folder.glob("shards/policy*")), 120)
        (scheduler if whom == "scheduler" else workers[0]).kill()
        _, said = run.communicate(timeout=300)
    if whom == "worker" or run.returncode == 0:  # it may have been done already
        assert run.returncode == 0, said
    else:
        assert run.returncode == 2
        assert said.splitlines()[-1].startswith("executor: the cluster lost")
        command(*LONG, f"hydra.run.dir={folder}")
    assert_same(folder, tmp_path / "whole", REGRET)


def test_an_address_that_nobody_answers_is_refused(attempt, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        said = attempt("executor=dask", f"executor.address={address}", "executor.patience=2", "hydra.run.dir=refused")
    said.assert_refused(["executor.address ", address], tmp_path)
    assert not (tmp_path / "refused").exists()


@pytest.fixture
def tasks(tmp_path):
    return [Task(tmp_path / "one", atomic_write)]


@pytest.fixture(scope="module")
def client():
    """A client of a scheduler and a worker in threads of this process."""
    settings = {"processes": False, "dashboard_address": "127.0.0.1:0", "protocol": "inproc://"}
    with distributed.LocalCluster(n_workers=1, **settings) as own, distributed.Client(own) as client:
        yield client


def test_a_worker_that_would_do_something_else_is_refused(monkeypatch, client, tasks, tmp_path):
    ours = dask.facts(["numerics"], tmp_path)
    assert ours["folder of the run"] == str(tmp_path.parent) != dask.facts([], tmp_path / "none")["folder of the run"]
    for name in ours:
        monkeypatch.setattr(dask, "facts", lambda *_, name=name: ours | {name: threading.current_thread().name})
        refused(lambda: dask.check(client, tasks, 60.0), "executor: worker inproc", f" {name}", "Main")
    assert not list(tmp_path.iterdir())


def test_a_worker_that_cannot_load_the_project_is_refused(monkeypatch, client, tasks):
    def missing(*_):
        if threading.current_thread() is not threading.main_thread():
            raise ModuleNotFoundError("No module named 'experiments'")

    monkeypatch.setattr(dask, "facts", missing)
    refused(lambda: dask.check(client, tasks, 60.0), "executor", "(No module named")


def test_a_worker_that_hangs_is_refused(monkeypatch, client, tasks):
    monkeypatch.setattr(dask, "facts", lambda *_: time.sleep(1))
    refused(lambda: dask.check(client, tasks, 0.1), "executor", "0.1 s")


def test_a_cluster_that_does_not_start_is_a_sentence(monkeypatch):
    def dies(**settings):
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(distributed, "LocalCluster", dies)
    with pytest.raises(ValueError, match=r"Nanny failed"):
        dask.connect(2, None, 60.0)


def test_a_worker_that_would_delay_the_end_is_killed(monkeypatch):
    monkeypatch.setattr(dask, "_TO_CLOSE", 0.1)
    worker = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(600.0,))
    worker.start()
    dask._end(types.SimpleNamespace(close=lambda timeout: worker.join(60.0)))
    assert worker.exitcode == -signal.SIGKILL


# ---------------------------------------------------------------- code of a user's that ends or holds a worker

BAD = """
import os

class Bad:
    def __init__(self, arms):
        self.t = 0

    def choose(self):
        self.t += 1
        if self.t == 30:  # later than the trial before the run looks
            {}
        return 0

    def update(self, arm, reward):
        pass

def player(board):
    {}
"""
BROKEN = ("bandit=custom", "bandit.rule=bad.Bad", "horizon=100", "runs=10", "executor=dask", "executor.workers=1")


@pytest.mark.long
@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("raise RuntimeError('thirtieth')", "rule bad.Bad fails at t = 30: RuntimeError: thirtieth (bad.py, line 1"),
        ("os._exit(3)", "executor: the cluster lost"),
    ],
)
def test_a_rule_that_ends_its_worker_ends_the_run_in_a_sentence(tmp_path, what, says):
    (tmp_path / "bad.py").write_text(BAD.format(what, "return 0"))
    once = {**ENVIRONMENT, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    assert finish(start([*RUN, *BROKEN], tmp_path, once), 2).splitlines()[-1].startswith(says)


@pytest.mark.long
def test_a_player_that_fails_hangs_or_leaves_loses_its_games_on_a_cluster_too(finished, tmp_path):
    moves = {"raises": "return missing", "hangs": "\n    while True: pass", "leaves": "raise SystemExit"}
    for name, what in moves.items():
        (tmp_path / f"{name}.py").write_text(BAD.format("pass", what))
    players = [f"{{name: custom, path: {name}.player, seconds: 0.5}}" for name in moves]
    words = ("experiment=tournament", f"players=[random,{','.join(players)}]", "games=2", "figures=false")
    for executor in ("serial", "dask"):
        folder = f"hydra.run.dir={tmp_path / executor}"
        finish(start([*RUN, *words, f"executor={executor}", folder], tmp_path))
    assert_same(tmp_path / "serial", tmp_path / "dask", ["games.parquet"])


@pytest.mark.long
def test_a_rule_that_hangs_on_a_cluster_is_ended_by_ctrl_c_and_leaves_no_process(tmp_path):
    (tmp_path / "bad.py").write_text(BAD.format("\n            while True: pass", "return 0"))
    run = start([*RUN, *BROKEN], tmp_path, start_new_session=True, preexec_fn=hear_interrupts)
    for line in run.stderr:
        if "0 of 10 " in line:
            break
    workers = psutil.Process(run.pid).children(recursive=True)
    assert workers
    os.killpg(run.pid, signal.SIGINT)
    assert finish(run, 130).splitlines()[-1].startswith("interrupted; to resume")
    assert not psutil.wait_procs(workers, timeout=20)[1]
