"""Tasks on a Dask cluster: the same bytes as anywhere, and a sentence for a cluster that cannot do them."""

from __future__ import annotations

import logging
import os
import random
import signal
import socket
import sys
import time
from types import SimpleNamespace

import pytest

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed (extra cluster)")
psutil = pytest.importorskip("psutil", reason="which dask.distributed brings")

from experiments.engine.executors import dask  # noqa: E402
from experiments.engine.tasks import Task  # noqa: E402
from numerics.output.files import atomic_write  # noqa: E402
from tests.experiments.clusters import RUN, cluster, start  # noqa: E402
from tests.experiments.commands import hear_interrupts  # noqa: E402

TOURNAMENT = (
    "experiment=tournament",
    "players=[random,level_2,level_3]",
    "games=8",
    "board=4x3",
    "connect=3",
    "seed=3",
)
STANDINGS = ("games.parquet", "standings.csv", "pairs.csv", "crosstable.csv")
LONG = ("bandit=thompson", "horizon=1000", "runs=12000", "seed=3", "figures=false")
REGRET = ("curves.parquet", "pulls.parquet", "summary.csv")


def assert_same(folder, whole, tables):
    for name in tables:
        assert (folder / name).read_bytes() == (whole / name).read_bytes(), name


def test_a_cluster_of_this_machine_leaves_the_same_bytes(finished, tmp_path):
    finished(*TOURNAMENT, "hydra.run.dir=whole")
    run = start([*RUN, *TOURNAMENT, "executor=dask", "executor.workers=1", "hydra.run.dir=cluster"], tmp_path)
    _, said = run.communicate(timeout=300)
    assert run.returncode == 0, said
    assert_same(tmp_path / "cluster", tmp_path / "whole", STANDINGS)


def test_no_logger_of_dask_prints_beside_our_sentences(monkeypatch):
    for logger in map(logging.getLogger, ("distributed", "distributed.client")):  # both have levels from the start
        assert logger.level
        monkeypatch.setattr(logger, "level", logging.WARNING)
        monkeypatch.setattr(logger, "_cache", {})
    dask._hush()
    assert not logging.getLogger("distributed.client").isEnabledFor(logging.WARNING)
    assert not logging.getLogger("distributed.scheduler").isEnabledFor(logging.ERROR)


@pytest.mark.long
def test_a_cluster_of_this_machine_has_as_many_workers_as_are_asked_for_and_listens_to_this_machine():
    client = dask.connected(1, None, 60.0)
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
        dask.connected.cache_clear()
        client.close()
        client.cluster.close()


@pytest.mark.long
def test_a_sweep_has_one_client_and_the_same_bytes(finished, tmp_path):
    sweep = ("-m", "bandit.c=0.5,1,2", "horizon=50", "runs=600")
    finished(*sweep, "hydra.sweep.dir=whole")
    run = start([*RUN, *sweep, "executor=dask", "executor.workers=1", "hydra.sweep.dir=cluster"], tmp_path)
    _, said = run.communicate(timeout=300)
    assert run.returncode == 0, said
    assert_same(tmp_path / "cluster", tmp_path / "whole", ["sweep.csv"])


def killed(tmp_path, whom, chance):
    """Kill a worker or the scheduler while a run goes on; return the run's status and what it said."""
    folder = tmp_path / "killed"
    with cluster(2, tmp_path) as (address, scheduler, workers):
        words = [*RUN, *LONG, "executor=dask", f"executor.address={address}", f"hydra.run.dir={folder}"]
        run = start(words, tmp_path)
        until = time.monotonic() + 120
        while not list(folder.glob("shards/policy*")):
            assert run.poll() is None, run.communicate()
            assert time.monotonic() < until
            time.sleep(0.02)
        time.sleep(chance.uniform(0, 1))
        (scheduler if whom == "scheduler" else workers[0]).kill()
        _, said = run.communicate(timeout=300)
    return run.returncode, said


@pytest.mark.long
@pytest.mark.parametrize("whom", ["worker", "scheduler"])
def test_a_killed_worker_costs_its_tasks_and_a_killed_scheduler_a_sentence(finished, command, tmp_path, whom):
    finished(*LONG, "hydra.run.dir=whole")
    chance = random.Random(19)
    for _ in range(19):
        status, said = killed(tmp_path, whom, chance)
        if whom == "worker" or status == 0:  # it may have been done already
            assert status == 0, said
        else:
            assert status == 2
            assert said.splitlines()[-1].startswith("executor: the scheduler is gone")
            assert command(*LONG, f"hydra.run.dir={tmp_path / 'killed'}").status == 0
        assert_same(tmp_path / "killed", tmp_path / "whole", REGRET)
        for path in sorted((tmp_path / "killed").rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()


@pytest.mark.long
def test_ctrl_c_is_one_sentence_and_resumable(finished, command, tmp_path):
    finished(*LONG, "hydra.run.dir=whole")
    words = [*RUN, *LONG, "executor=dask", "executor.workers=2", "hydra.run.dir=stopped"]
    run = start(words, tmp_path, start_new_session=True, preexec_fn=hear_interrupts)
    until = time.monotonic() + 120
    while not list(tmp_path.glob("stopped/shards/policy*")) and time.monotonic() < until:
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to all processes of the command
    _, said = run.communicate(timeout=60)
    assert run.returncode == 130, said
    assert said.splitlines()[-1].startswith("interrupted; the same command with hydra.run.dir=")
    assert command(*LONG, "hydra.run.dir=stopped").status == 0
    assert_same(tmp_path / "stopped", tmp_path / "whole", REGRET)


def test_an_address_that_nobody_answers_is_refused(command, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        said = command("executor=dask", f"executor.address={address}", "executor.patience=2", "hydra.run.dir=refused")
        with pytest.raises(ValueError, match=r"^executor\.address must be a Dask scheduler's"):
            dask.connected(None, address, 2.0)
    said.assert_refused(["executor.address must be a Dask scheduler's", address], tmp_path)
    assert not (tmp_path / "refused").exists()


def test_workers_and_an_address_do_not_go_together(command, tmp_path):
    said = command("executor=dask", "executor.workers=2", "executor.address=tcp://127.0.0.1:1")
    said.assert_refused(["executor.workers must be null with an address", "got 2"], tmp_path)


class Cluster:
    """A cluster whose scheduler and workers give the answers that a test wants."""

    scheduler = SimpleNamespace(address="tcp://10.0.0.1:8786")

    def __init__(self, change, workers=("tcp://10.0.0.2:1", "tcp://10.0.0.3:1")):
        self.change, self.workers = change, workers

    def wait_for_workers(self, count, timeout):
        if not self.workers:
            raise TimeoutError

    def nthreads(self):
        return dict.fromkeys(self.workers, 1)

    def run_on_scheduler(self, function, question):
        return function(question)

    def run(self, function, question, on_error):
        return {worker: self.change(function(question)) for worker in self.workers}


def write(path, text):
    with atomic_write(path) as beside:
        beside.write_text(text)


@pytest.fixture
def tasks(tmp_path):
    return [Task(tmp_path / "one", write, ("text",))]


def test_a_cluster_like_this_process_is_taken_and_one_worker_of_each_other_host_named(tasks, tmp_path):
    workers = ("tcp://10.0.0.1:1", "tcp://10.0.0.2:1", "tcp://10.0.0.2:2")
    found = dask.check(Cluster(lambda facts: facts, workers), tasks, 10.0)
    assert list(found) == ["10.0.0.2"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (lambda facts: {**facts, "numba": "0.1"}, ["the worker tcp://10.0.0.2:1 has numba 0.1, this command 0."]),
        (lambda facts: {**facts, "Python": "2.7"}, ["has Python 2.7, this command 3."]),
        (lambda facts: {**facts, "source": "other"}, ["has other source code than this command"]),
        (lambda facts: {**facts, "folder": ""}, ["does not see the folder", "a file system that all workers share"]),
        (lambda facts: ModuleNotFoundError("No module named 'experiments'"), ["cannot load this project (No module"]),
    ],
)
def test_a_worker_that_would_do_something_else_is_refused(tasks, tmp_path, change, parts):
    with pytest.raises(ValueError, match=r"^executor: ") as refused:
        dask.check(Cluster(change), tasks, 10.0)
    for part in parts:
        assert part in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_a_cluster_without_workers_is_refused(tasks):
    with pytest.raises(ValueError, match=r"^executor: the cluster has no worker"):
        dask.check(Cluster(lambda facts: facts, ()), tasks, 0.1)


def test_a_worker_that_hangs_is_refused(tasks):
    with pytest.raises(ValueError, match=r"^executor: the cluster has no worker that answers within 0\.1 s"):
        dask.check(Cluster(lambda facts: time.sleep(1) or facts), tasks, 0.1)


def test_a_cluster_that_is_started_has_a_minute_and_its_patience_is_a_setting(monkeypatch, tasks):
    waited = []
    monkeypatch.setattr(dask, "connected", lambda workers, address, patience: waited.append(patience))
    for given in ({}, {"address": "tcp://127.0.0.1:1"}, {"patience": 7.0}):
        dask.Dask(**given).ready()
    assert waited == [60.0, 10.0, 7.0]


def test_a_cluster_whose_workers_die_is_a_sentence(monkeypatch):
    def dies(**settings):
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(distributed, "LocalCluster", dies)
    said = r"not started \(Nanny failed to start.\); it needs a writable /dev/shm .*; executor=processes does not$"
    with pytest.raises(ValueError, match=said):
        dask.connected(2, None, 60.0)


@pytest.mark.parametrize("has", [True, False])
def test_the_address_of_a_dashboard_is_printed_where_the_scheduler_has_one(monkeypatch, capsys, has):
    if has:
        monkeypatch.setitem(sys.modules, "distributed.dashboard.scheduler", SimpleNamespace())
    else:
        monkeypatch.delitem(sys.modules, "distributed.dashboard.scheduler", raising=False)
    client = SimpleNamespace(run_on_scheduler=lambda ask, question: ask(question), dashboard_link="http://x/status")
    dask._say_dashboard(client, 60.0)
    assert capsys.readouterr().err == ("dashboard: http://x/status\n" if has else "")
