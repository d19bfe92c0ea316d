"""Beyond one machine: what planning, storing, merging and reporting cost, and how many tasks a scheduler hands out."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from benchmarks import peak_memory, processes
from benchmarks.row import Row

_RUN = """
import json, sys, time
from pathlib import Path
from hydra import compose, initialize_config_module
from omegaconf import OmegaConf
from benchmarks.peak_memory import peak_bytes
from experiments.engine import configuration, runs
from experiments.engine.experiment import build
if __name__ == "__main__":
    folder = Path(sys.argv[1])
    configuration.register()
    with initialize_config_module("configs", version_base="1.3"):
        values = OmegaConf.to_container(compose("config", sys.argv[2:]), resolve=True)
    experiment, config = build(values)  # and kernels are loaded
    began = time.perf_counter()
    runs.perform(experiment, config, folder, figures=False)
    wall = time.perf_counter() - began
    playing = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["timings"]["playing"]
    print("MEASURED", wall, playing, peak_bytes())
"""
_SLEEP = """
import sys, time, logging
from distributed import Client, LocalCluster, as_completed
if __name__ == "__main__":
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    threads, seconds, tasks = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    cluster = LocalCluster(n_workers=2, threads_per_worker=threads // 2, memory_limit=0, dashboard_address=None)
    with cluster, Client(cluster) as client:
        client.wait_for_workers(2)
        for future in as_completed(client.map(time.sleep, [0.001] * 200, pure=False)):
            future.result()
        began = time.perf_counter()
        for future in as_completed(client.map(time.sleep, [seconds] * tasks, pure=False)):
            future.result()
        print("MEASURED", tasks / (time.perf_counter() - began))
"""


@dataclass(frozen=True)
class Size:
    """How long it takes."""

    runs: int  # replications of Thompson sampling, 10,000 pulls each
    players: int  # of a tournament, whose pairs are a task each
    sleepers: tuple[float, ...]  # seconds that a task sleeps


FULL = Size(runs=70_000, players=142, sleepers=(0.0, 1.0, 2.0, 5.0))
QUICK = Size(runs=2_000, players=20, sleepers=(0.0, 1.0))
THREADS = 1_000  # workers that are imitated, in two processes


def engine_rows(size: Size) -> Iterator[Row]:
    """What a run costs beside its tasks, and how much memory ten thousand tasks take."""
    if peak_memory.UNKNOWN:
        yield Row("time and memory of a run of many tasks", skipped=peak_memory.UNKNOWN)
        return
    regret = ["bandit=thompson", f"runs={size.runs}", "executor=serial"]
    with tempfile.TemporaryDirectory() as folder:
        wall, playing, _ = _measured(_RUN, f"{folder}/run", *regret)
    share = (wall - playing) / wall
    yield Row(
        f"planning, storing, merging and reporting, of a run of {wall:.0f} s",
        f"{100 * share:.2f} %",
        "3 %",
        0.03 / max(share, 1e-9),
        1.0,
        share < 0.03,
    )
    if find_spec("distributed") is None:
        yield Row("executor=dask", skipped="dask.distributed is not installed (extra cluster)")
        return
    players = ",".join(f"{{name: random, label: p{number}}}" for number in range(size.players))
    many = ["experiment=tournament", f"players=[{players}]", "games=2", "board=4x3", "connect=3", "seed=1"]
    tasks = size.players * (size.players - 1) // 2  # one for each pair
    for executor in (["executor=threads"], ["executor=dask", "executor.workers=2"]):
        with tempfile.TemporaryDirectory() as folder:
            wall, _, peak = _measured(_RUN, f"{folder}/run", *many, *executor)
        yield Row(
            f"memory of a run of {tasks:,} tasks, {executor[0]}, {wall:.0f} s",
            f"{peak / 2**20:,.0f} MiB",
            "1,024 MiB",
            2**30 / peak,
            1.0,
            peak < 2**30,
        )
    yield dask_row(["bandit=thompson", f"runs={size.runs}", "figures=false"])


def dask_row(run: list[str]) -> Row:
    """Return the row of two workers of a Dask cluster beside two processes, whole commands."""
    seconds = {}
    for name in ("processes", "dask", "processes", "dask"):
        with tempfile.TemporaryDirectory() as folder:
            words = (
                "-m",
                "experiments.run",
                *run,
                f"executor={name}",
                "executor.workers=2",
                f"hydra.run.dir={folder}/run",
            )
            seconds[name] = min(seconds.get(name, float("inf")), processes.seconds_of(*words))
    ratio = seconds["processes"] / seconds["dask"]
    return Row(
        "executor=dask beside executor=processes, two workers",
        f"{seconds['dask']:.1f} s",
        f"{seconds['processes']:.1f} s",
        ratio,
        0.95,
        ratio >= 0.95,
    )


def scheduler_rows(size: Size) -> Iterator[Row]:
    """How many tasks a second one scheduler hands out to a thousand workers, by how long a task takes."""
    if find_spec("distributed") is None:
        return
    for seconds in size.sleepers:
        tasks = 10_000 if seconds == 0 else 3 * THREADS
        (rate,) = _measured(_SLEEP, THREADS, seconds, tasks)
        ideal = THREADS / seconds if seconds else None
        yield Row(
            f"tasks a second to {THREADS:,} workers, {seconds:g} s each",
            f"{rate:,.0f}",
            f"{ideal:,.0f}" if ideal else "",
            rate / ideal if ideal else None,
        )


def _measured(script: str, *arguments: object) -> list[float]:
    """Run a script in a process of its own; return the numbers that it prints behind MEASURED."""
    # A file, because its workers must be able to import it; closed, because Windows opens none that another has open.
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "measured.py"
        file.write_text(script, encoding="utf-8", newline="\n")
        done = subprocess.run(
            [sys.executable, str(file), *map(str, arguments)],
            cwd=processes.ROOT,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, "PYTHONPATH": str(processes.ROOT)},
        )
    for line in done.stdout.splitlines():
        if line.startswith("MEASURED"):
            return [float(number) for number in line.split()[1:]]
    raise OSError(done.stderr.strip().splitlines()[-1:])
