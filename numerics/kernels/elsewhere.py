"""A kernel compiled in another process, while this one compiles others: Numba compiles one at a time in a process."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from numerics.kernels.compiling import compiling
from numerics.kernels.sources import ROOT


def begin(kernel: Any) -> subprocess.Popen[bytes] | None:
    """Start a process that compiles a kernel of a module and keeps its code; None where that cannot be.

    Workers of a run begin none: there is one for each core already.
    """
    module, name = kernel.__module__, kernel.__qualname__
    is_there = getattr(sys.modules.get(module), name, None) is kernel and module != "__main__"
    if not is_there or multiprocessing.parent_process() or "python" not in Path(sys.executable or "").name.lower():
        return None
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    with contextlib.suppress(OSError):
        return subprocess.Popen(
            [sys.executable, "-c", f"from {module} import {name}; {name}.dispatcher"],
            env=os.environ | {"PYTHONPATH": paths},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    return None


def wait(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process has compiled; whatever became of it, the code is on disk or not."""
    compiling.start(is_kept=True)
    try:
        process.wait()
    finally:
        compiling.end()
