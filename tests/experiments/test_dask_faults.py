"""What only a bad day shows: code that crashes on a cluster, and caches that cannot be used."""

from __future__ import annotations

import os
import signal

import pytest

pytest.importorskip("distributed", reason="dask.distributed is not installed (extra cluster)")
psutil = pytest.importorskip("psutil", reason="which dask.distributed brings")

from tests.experiments.clusters import ENVIRONMENT, RUN, start  # noqa: E402
from tests.experiments.commands import hear_interrupts  # noqa: E402

COLD = ("bandit=ucb", "horizon=1000", "runs=20000", "seed=3", "figures=false")
TABLES = ("curves.parquet", "pulls.parquet", "summary.csv")
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


def same(folder, whole):
    return all((folder / name).read_bytes() == (whole / name).read_bytes() for name in TABLES)


@pytest.mark.long
@pytest.mark.parametrize(
    ("what", "status", "says"),
    [
        ("raise RuntimeError('thirtieth')", 2, "rule bad.Bad fails at t = 30: RuntimeError: thirtieth (bad.py, line 1"),
        ("os._exit(3)", 2, "executor: the cluster lost its scheduler or workers"),
    ],
)
def test_a_rule_that_ends_its_worker_ends_the_run_in_a_sentence(tmp_path, what, status, says):
    (tmp_path / "bad.py").write_text(BAD.format(what, "return 0"))
    words = ["bandit=custom", "bandit.rule=bad.Bad", "horizon=100", "runs=10", "executor=dask", "executor.workers=1"]
    run = start([*RUN, *words, "hydra.run.dir=out"], tmp_path)
    _, said = run.communicate(timeout=300)
    assert run.returncode == status, said
    assert said.splitlines()[-1].startswith(says), said


@pytest.mark.long
def test_a_player_that_fails_hangs_or_leaves_loses_its_games_on_a_cluster_too(finished, tmp_path):
    moves = {"raises": "return missing", "hangs": "\n    while True: pass", "leaves": "raise SystemExit"}
    for name, what in moves.items():
        (tmp_path / f"{name}.py").write_text(BAD.format("pass", what))
    players = [f"{{name: custom, path: {name}.player, seconds: 0.5}}" for name in moves]
    words = ("experiment=tournament", f"players=[random,{','.join(players)}]", "games=2", "figures=false")
    stored = []
    for executor in (["executor=serial"], ["executor=dask", "executor.workers=2"]):
        folder = tmp_path / str(len(stored))
        run = start([*RUN, *words, *executor, f"hydra.run.dir={folder}"], tmp_path)
        _, said = run.communicate(timeout=300)
        assert run.returncode == 0, said
        stored.append((folder / "games.parquet").read_bytes())
    assert stored[0] == stored[1]


@pytest.mark.long
def test_a_rule_that_hangs_on_a_cluster_is_ended_by_ctrl_c_and_leaves_no_process(tmp_path):
    (tmp_path / "bad.py").write_text(BAD.format("\n            while True: pass", "return 0"))
    words = ["bandit=custom", "bandit.rule=bad.Bad", "horizon=100", "runs=10", "executor=dask", "executor.workers=1"]
    run = start([*RUN, *words, "hydra.run.dir=out"], tmp_path, start_new_session=True, preexec_fn=hear_interrupts)
    for line in run.stderr:
        if "0 of 10 " in line:
            break
    workers = psutil.Process(run.pid).children(recursive=True)
    assert workers
    os.killpg(run.pid, signal.SIGINT)
    _, said = run.communicate(timeout=60)
    assert run.returncode == 130, said
    assert said.splitlines()[-1].startswith("interrupted; to resume, repeat the command with hydra.run.dir=")
    assert not psutil.wait_procs(workers, timeout=20)[1]


@pytest.mark.long
def test_commands_that_compile_into_one_cache_at_once_leave_the_same_bytes(finished, tmp_path):
    finished(*COLD, "hydra.run.dir=whole")
    environment = {**ENVIRONMENT, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    runs = [start([*RUN, *COLD, f"hydra.run.dir={number}"], tmp_path, environment) for number in range(2)]
    for number, run in enumerate(runs):
        _, said = run.communicate(timeout=300)
        assert run.returncode == 0, said
        assert same(tmp_path / str(number), tmp_path / "whole")
