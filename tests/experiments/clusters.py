"""Clusters of dask.distributed whose processes a test may kill, and commands in processes."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from pathlib import Path

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
RUN = [sys.executable, "-m", "experiments.run"]


def start(words, folder, environment=ENVIRONMENT, **settings):
    """Start a command in a folder; its two streams can be read."""
    return subprocess.Popen(
        words, env=environment, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **settings
    )


@contextlib.contextmanager
def cluster(workers, folder, environment=ENVIRONMENT):
    """Start a scheduler and workers, processes of their own; yields the address, the scheduler and the workers."""
    import distributed

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
