"""Ctrl-C in the first moments of a command, while Python loads it, ends it by the signal, as it ends any program.

`numerics.exits` answers Ctrl-C from where a command begins its work.
"""

from __future__ import annotations

import os
import signal
import sys

_PACKAGES = ("numerics", "connect4", "experiments", "treebandit")  # which have commands


def end_by_signal() -> None:
    """Have Ctrl-C end the process without a traceback if it starts a command; where it is ignored, it stays so."""
    if _is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _is_command() -> bool:
    """Whether `treebandit` was called, or `python -m` looks for a command of ours just now."""
    started = sys.argv[0] if sys.argv else ""  # no list where Python is part of another program
    if started == "-m":
        return any(word.partition(".")[0] in _PACKAGES for word in sys.orig_argv)
    return os.path.basename(started).partition(".")[0] == "treebandit"
