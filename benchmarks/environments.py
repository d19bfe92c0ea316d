"""Environments of Python that hold one library each, at one version, apart from ours: one of them is called `mcts` too.

They lie in build/benchmarks, are made when a benchmark first needs them, and serve from then on.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.processes import ROOT

PLACE = ROOT / "build" / "benchmarks"
_ASTRAY = ("PYTHONPATH", "PYTHONHOME")  # through which an environment would find what is not its own
_VERSION = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))"


def python_of(library: str, version: str) -> Path:
    """Return the Python of a library's environment, whether or not it is there."""
    place = PLACE / f"{library}-{version}"
    return place / "Scripts" / "python.exe" if os.name == "nt" else place / "bin" / "python"


def has(library: str, version: str) -> bool:
    """Return whether there is an environment with that version of a library."""
    python = python_of(library, version)
    return python.exists() and _run([python, "-c", _VERSION, library]).stdout.strip() == version


def installed(library: str, version: str) -> Path:
    """Return the Python of a library's environment, which is made if it is missing.

    Raises
    ------
    ImportError
        The library cannot be installed; the text is pip's last line.
    """
    python = python_of(library, version)
    if has(library, version):
        return python
    made = _run([sys.executable, "-m", "venv", "--clear", python.parents[1]])
    if made.returncode == 0:
        pip: list[str | Path] = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--retries=1",
        ]
        made = _run([*pip, f"{library}=={version}"])
    if made.returncode != 0:
        shutil.rmtree(python.parents[1], ignore_errors=True)
        said = [line for line in made.stderr.splitlines() if line.strip()]
        raise ImportError(f"not installed: {said[-1].strip() if said else 'no reason is given'}")
    return python


def answer_of(python: str | Path, script: Path, *words: str, **more: str) -> dict[str, Any]:
    """Return what a script prints as its last line, JSON, run by an environment's Python; `more` is set for it.

    Raises
    ------
    OSError
        The script fails; the text is its last line.
    """
    done = _run([python, script, *words], more)
    if done.returncode != 0:
        raise OSError((done.stderr or done.stdout).strip().splitlines()[-1:])
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _run(command: Sequence[str | Path], more: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program that finds nothing of ours, but by what `more` sets."""
    kept = {name: value for name, value in os.environ.items() if name not in _ASTRAY}
    return subprocess.run(
        command, env={**kept, **(more or {})}, capture_output=True, encoding="utf-8", errors="replace"
    )
