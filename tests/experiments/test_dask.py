"""Tasks on a Dask cluster: the same bytes as anywhere, and a sentence for a cluster that cannot do them."""

from __future__ import annotations

import os
import random
import signal
import socket
import threading
import time

import pytest

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed (extra cluster)")
psutil = pytest.importorskip("psutil", reason="which dask.distributed brings")

from tests.experiments.clusters import RUN, cluster, start  # noqa: E402
from tests.experiments.commands import hear_interrupts, split_words, until  # noqa: E402
from tests.internals import Task, atomic_write, dask  # noqa: E402

TOURNAMENT = split_words("experiment=tournament players=[random,level_2,level_3] games=8 board=4x3 connect=3 seed=3")
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
        until(lambda: list(folder.glob("shards/policy*")), 120)
        time.sleep(chance.uniform(0, 1))
        (scheduler if whom == "scheduler" else workers[0]).kill()
        _, said = run.communicate(timeout=300)
    return run.returncode, said


@pytest.mark.long
@pytest.mark.parametrize("whom", ["worker", "scheduler"])
def test_a_killed_worker_costs_its_tasks_and_a_killed_scheduler_a_sentence(finished, command, tmp_path, whom):
    finished(*LONG, "hydra.run.dir=whole")
    chance = random.Random(19)
    for _ in range(5):
        status, said = killed(tmp_path, whom, chance)
        if whom == "worker" or status == 0:  # it may have been done already
            assert status == 0, said
        else:
            assert status == 2
            assert said.splitlines()[-1].startswith("executor: the cluster lost its scheduler or workers")
            command(*LONG, f"hydra.run.dir={tmp_path / 'killed'}")
        assert_same(tmp_path / "killed", tmp_path / "whole", REGRET)
        for path in sorted((tmp_path / "killed").rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()


@pytest.mark.long
def test_ctrl_c_is_one_sentence_and_resumable(finished, command, tmp_path):
    finished(*LONG, "hydra.run.dir=whole")
    words = [*RUN, *LONG, "executor=dask", "executor.workers=2", "hydra.run.dir=stopped"]
    run = start(words, tmp_path, start_new_session=True, preexec_fn=hear_interrupts)
    until(lambda: list(tmp_path.glob("stopped/shards/policy*")), 120)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to all processes of the command
    _, said = run.communicate(timeout=60)
    assert run.returncode == 130, said
    assert said.splitlines()[-1].startswith("interrupted; to resume, repeat the command with hydra.run.dir=")
    command(*LONG, "hydra.run.dir=stopped")
    assert_same(tmp_path / "stopped", tmp_path / "whole", REGRET)


def test_an_address_that_nobody_answers_is_refused(attempt, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        said = attempt("executor=dask", f"executor.address={address}", "executor.patience=2", "hydra.run.dir=refused")
        with pytest.raises(ValueError, match=r"^executor\.address must be the address of a Dask scheduler"):
            dask.connect(None, address, 2.0)
    said.assert_refused(["executor.address must be the address of a Dask scheduler", address], tmp_path)
    assert not (tmp_path / "refused").exists()


def test_workers_and_an_address_do_not_go_together(attempt, tmp_path):
    said = attempt("executor=dask", "executor.workers=2", "executor.address=tcp://127.0.0.1:1")
    said.assert_refused(["executor.workers must be null with an address", "got 2"], tmp_path)


@pytest.fixture
def tasks(tmp_path):
    return [Task(tmp_path / "one", atomic_write)]


@pytest.fixture
def client():
    """A client of a scheduler and a worker in threads of this process."""
    settings = {"processes": False, "dashboard_address": None, "protocol": "inproc://"}
    with distributed.LocalCluster(n_workers=1, **settings) as own, distributed.Client(own) as client:
        yield client


def test_a_cluster_like_this_process_is_taken(client, tasks, tmp_path):
    dask.check(client, tasks, 60.0)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["Python", "numba", "source code", "folder of the run"])
def test_a_worker_that_would_do_something_else_is_refused(monkeypatch, client, tasks, tmp_path, name):
    ours = dask.facts(["numerics"], tmp_path)
    monkeypatch.setattr(dask, "facts", lambda *_: ours | {name: threading.current_thread().name})
    with pytest.raises(
        ValueError, match=rf"^executor: worker inproc.* must have the same {name} as this command, Main"
    ):
        dask.check(client, tasks, 60.0)
    assert not list(tmp_path.iterdir())


def test_a_worker_that_cannot_load_the_project_is_refused(monkeypatch, client, tasks):
    def missing(*_):
        if threading.current_thread() is not threading.main_thread():
            raise ModuleNotFoundError("No module named 'experiments'")

    monkeypatch.setattr(dask, "facts", missing)
    with pytest.raises(ValueError, match=r"^executor: the workers cannot import this project \(No module named"):
        dask.check(client, tasks, 60.0)


def test_a_worker_that_hangs_is_refused(monkeypatch, client, tasks):
    monkeypatch.setattr(dask, "facts", lambda *_: time.sleep(1))
    with pytest.raises(ValueError, match=r"^executor: no worker of the cluster answered within 0\.1 s"):
        dask.check(client, tasks, 0.1)


def test_a_cluster_that_does_not_start_is_a_sentence(monkeypatch):
    def dies(**settings):
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(distributed, "LocalCluster", dies)
    with pytest.raises(ValueError, match=r"; the local cluster did not start: Nanny failed to start\.$"):
        dask.connect(2, None, 60.0)
