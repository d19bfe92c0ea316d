"""`treebandit COMMAND ...`, also `python -m treebandit`: every command of the project under one name.

Only the command that is called is loaded.
"""

from __future__ import annotations

import difflib
import errno
import importlib
import os
import runpy
import sys

from numerics.starting import refuse_bare_python
from treebandit import __version__
from treebandit.commands import COMMANDS

MISTAKE = 2


def main() -> int:
    """Start the command that is named, and return the exit status of what ends here.

    A command that starts ends the process with a status of its own.
    """
    name, *words = sys.argv[1:] or ["--help"]
    if name in ("-h", "--help"):
        lines = [f"  {known:<12} {purpose}" for known, (_, purpose) in COMMANDS.items()]
        head = "treebandit COMMAND ...   bandits and Monte-Carlo tree search under one selection rule"
        return say(
            "\n".join([head, "", *lines, "", "  treebandit COMMAND --help describes a command; treebandit --version"])
        )
    if name == "--version":
        return say(f"treebandit {__version__}")
    if name not in COMMANDS:
        near, listed = difflib.get_close_matches(name, COMMANDS, 1), f"must be one of {', '.join(COMMANDS)}"
        question = f"{name!r} is unknown (did you mean {near[0]}?); it {listed}" if near else f"{listed}; got {name!r}"
        return _refuse(f"COMMAND {question}")
    try:
        refuse_bare_python()
    except ImportError as error:
        return _refuse(str(error))
    sys.argv[1:] = words
    vars(importlib.import_module("numerics.commands"))["started_as"] = f"treebandit {name}"
    runpy.run_module(COMMANDS[name][0], run_name="__main__", alter_sys=True)
    return 0


def say(text: str) -> int:
    """Print a text and return the exit status, also where nobody reads it to its end."""
    try:
        print(text, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno not in (errno.EPIPE, errno.EINVAL):  # the reader of a pipe has left; the second on Windows
            return _refuse(f"standard output: {error.strerror}")
        return MISTAKE
    return 0


def _refuse(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return MISTAKE


if __name__ == "__main__":
    sys.exit(main())
