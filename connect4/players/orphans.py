"""Ends programs whose starter is gone, however it went: this file runs as a process of its own, which sees it go.

It imports the standard library alone, and is run as a file so that it starts in some 20 ms. It reads what is started
and what has ended, and at the end of its input, which is the end of the starter, kills what is left.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path

MARK = "TREEBANDIT_PROGRAM"  # in the environment of a program and of all that it starts


def end(group: int, mark: str) -> None:
    """Kill a process group, and what has left it: on Linux, whatever has the mark in its environment."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    for place in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError, ValueError):
            if mark.encode() in place.read_bytes() and (process := int(place.parent.name)) != os.getpid():
                os.kill(process, signal.SIGKILL)


def main() -> None:
    """Read "+ GROUP MARK" and "- GROUP MARK" until the starter is gone, then end what is left."""
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
