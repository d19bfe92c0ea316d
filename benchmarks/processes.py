"""Whole processes: the seconds that a person waits for a command, and the memory of a long run."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

_LONG = """
import sys
from benchmarks.peak_memory import peak_bytes
from bandits import Bernoulli, UCB, simulate
horizon, runs, workers = map(int, sys.argv[1:])
result = simulate(UCB(), Bernoulli([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9]), horizon, runs, workers=workers)
assert int(result.pulls.sum()) == horizon * runs
print(peak_bytes())
"""


def printed_by(code: str, *arguments: str) -> str:
    """Return what a fresh process of Python prints that runs some code on one thread."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=True,
        env={**os.environ, "NUMBA_NUM_THREADS": "1"},
    )
    return done.stdout


def seconds_of(*command: str, **environment: str) -> float:
    """Return the time on the wall of `python command ...`, started in the project's folder, with more environment.

    Raises
    ------
    OSError
        It exits with another status than 0; the text is the last line that it wrote.
    """
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        raise OSError((done.stderr or done.stdout).strip().splitlines()[-1:])
    return seconds


def seconds_of_a_run(*overrides: str, rounds: int = 5) -> float:
    """Return the time on the wall of an experiment run that finds all compiled: the median of `rounds` after a first.

    Their folders are temporary ones.
    """
    with tempfile.TemporaryDirectory() as folder:
        _, *later = (  # the first one fills what is kept between runs
            seconds_of("-m", "experiments.run", *overrides, f"hydra.run.dir={folder}/{number}")
            for number in range(rounds + 1)
        )
        return statistics.median(later)


def peak_of_a_long_run(horizon: int, runs: int, workers: int) -> tuple[float, float]:
    """Return the bytes that a process with `runs` UCB1 replications held at its peak, and its seconds."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _LONG, *map(str, (horizon, runs, workers))],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=True,
    )
    return float(done.stdout), time.perf_counter() - start
