"""The most memory that this process has held."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

UNKNOWN = "" if find_spec("resource") else "this system, such as Windows, does not tell it"  # why there is no number


def peak_bytes() -> int:
    """Return the peak of this process's resident memory in bytes.

    Linux tells it of the program that runs; getrusage, elsewhere, also counts what the process held before it became
    this program: a copy of its parent.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024)
