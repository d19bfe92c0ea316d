"""Kills programs whose parent is gone, however it ended: this file runs as a separate process that sees the parent end.

It imports the standard library only, and runs as a file so that it starts in some 20 ms. Its parent writes which
programs start and end; when its input ends, because the parent has ended, it kills the programs that still run.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

MARK = "TREEBANDIT_PROGRAM"  # in the environment of a program and of every process that it starts


def end(group: int, mark: str) -> None:
    """Kill a process group and, on Linux, every process with the mark in its environment, even outside the group.

    On Windows, which has no such groups, a process and all that it and its children have started.
    """
    if sys.platform == "win32":
        with contextlib.suppress(OSError):  # there is no taskkill
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(group)], capture_output=True)
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError, ValueError):
            if mark.encode() in environment.read_bytes() and (process := int(environment.parent.name)) != os.getpid():
                os.kill(process, signal.SIGKILL)


def main() -> None:
    """Read "+ GROUP MARK" and "- GROUP MARK" until the parent is gone, then kill the groups that are left."""
    left: dict[str, int] = {}
    for line in sys.stdin:
        sign, group, mark = line.split()
        if sign == "+":
            left[mark] = int(group)
        else:
            left.pop(mark, None)
    for mark, started in left.items():
        end(started, mark)


if __name__ == "__main__":
    main()
