"""Differences of systems: command lines, processes detached from a terminal, and the semaphores of a pool.

Differences that concern a single file are handled there. Stops of a command are in `numerics.exits`, renames in
`numerics.output.files`, and programs in `connect4.players.orphans`.
"""

from __future__ import annotations

import multiprocessing
import shlex
import subprocess
import sys
from typing import Any


def split(command: str) -> list[str]:
    r"""Return the words of a command line; on Windows a backslash separates folders and escapes nothing.

    Raises
    ------
    ValueError
        A quotation is not closed.

    Examples
    --------
    >>> split("python 'my engine.py' --fast")
    ['python', 'my engine.py', '--fast']
    """
    words = shlex.shlex(command, posix=True)
    words.whitespace_split, words.commenters = True, ""
    if sys.platform == "win32":
        words.escape = ""
    return list(words)


def detached_options() -> dict[str, Any]:
    """Return options of `subprocess.Popen` for a process that does not hear the Ctrl-C of our terminal."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def missing_semaphores() -> str:
    """Return why no pool of processes can share its work here, such as without a writable /dev/shm; empty if it can."""
    try:
        multiprocessing.get_context("spawn").Lock()
    except (ImportError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return f"no semaphores can be made here ({reason}; see /dev/shm)"
    return ""
