"""The start of a command: Ctrl-C ends it by the signal, and missing libraries are reported.

`numerics.exits` answers Ctrl-C from where a command begins its work.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import sys

_ON_WINDOWS = r"`.nox\run\Scripts\Activate.ps1` after `nox -s run`"
_NEEDED = ("numpy", "numba", "scipy", "pandas", "hydra")  # of the dependencies, which come together
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


def refuse_bare_python() -> None:
    """Raise ImportError if Python lacks the libraries of the experiments (usually the wrong environment).

    Raises
    ------
    ImportError
        A sentence. While `python -m` looks for a command it is printed instead, and the process ends with status 2.

    Examples
    --------
    >>> refuse_bare_python()
    """
    for name in _NEEDED:
        if importlib.util.find_spec(name) is None:
            how = _ON_WINDOWS if sys.platform == "win32" else "`source .venv/bin/activate` after `make run`"
            sentence = f"{name} is not installed for {sys.executable}: activate its environment, such as with {how}"
            if sys.argv[:1] == ["-m"]:
                print(sentence, file=sys.stderr)
                raise SystemExit(2)
            raise ImportError(sentence, name=name)
