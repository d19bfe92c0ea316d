"""Tasks on a Dask cluster: the same bytes as anywhere, and a sentence for a cluster that cannot do them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed (extra cluster)")

from experiments.engine.executors import dask  # noqa: E402
from experiments.engine.tasks import Task  # noqa: E402

pytestmark = pytest.mark.jit  # workers compile what they run
PROJECT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PROJECT)}
RUN = [sys.executable, "-m", "experiments.run"]
TOURNAMENT = (
    "experiment=tournament", "players=[random,level_2,level_3]", "games=8", "board=4x3", "connect=3", "seed=3",
)  # fmt: skip
TABLES = ("games.parquet", "standings.csv", "pairs.csv", "crosstable.csv")


@contextlib.contextmanager
def cluster(workers, folder=PROJECT, environment=ENVIRONMENT):
    """Start a scheduler and workers as processes of their own; yields the address and the processes."""
    at = folder / "scheduler.json" if folder != PROJECT else None
    command = [sys.executable, "-m"]
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    quiet = {"env": environment, "cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    processes = [
        subprocess.Popen(
            [*command, "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"],
            **quiet,
        )
    ]
    del at
    try:
        for _ in range(workers):
            worker = ["distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny"]
            processes.append(subprocess.Popen([*command, *worker], **quiet))
        wait_for(address, workers)
        yield address, processes
    finally:
        for process in processes:
            process.kill()
            process.wait()
