"""Refused before anything else is imported: a stranger's module under one of our names, and a Python without our needs.

Other distributions and users have modules of these names, too.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_FOLDER = Path(__file__).resolve().parents[1]
_MARK = b"treebandit"  # stands in the __init__.py of each of our packages
_ON_WINDOWS = r"`.venv\Scripts\Activate.ps1` after `python bootstrap.py run`"
_NEEDED = ("numpy", "numba", "scipy", "pandas", "hydra")  # of the dependencies, which come together


def refuse_strangers(*names: str) -> None:
    """Refuse what is not ours under one of these names; a name that nothing answers to is no stranger.

    Each of our packages calls this with those that it is about to import: what answers may be a file in the user's
    folder, or of a distribution that was installed over ours.

    Raises
    ------
    ImportError
        A sentence that says which file answered. While `python -m` looks for a command it is printed instead, and the
        process ends with status 2.

    Examples
    --------
    >>> refuse_strangers("numerics", "bandits")
    """
    for name in names:
        file = _answering(name)
        if file is not None and not (
            Path(file).resolve().parent.parent == _FOLDER and _MARK in Path(file).read_bytes()
        ):
            sentence = (
                f"{name} must be the package that treebandit brings, but {file} answered, which is your own or another "
                "distribution's: rename or remove it, or install treebandit in an environment of its own"
            )
            _refuse(sentence, name, file)


def refuse_bare_python() -> None:
    """Refuse a Python without the libraries that the experiments need, which is usually another than was meant.

    Raises
    ------
    ImportError
        As of `refuse_strangers`.

    Examples
    --------
    >>> refuse_bare_python()
    """
    for name in _NEEDED:
        if importlib.util.find_spec(name) is None:
            _refuse(
                f"{name} is not installed for {sys.executable}: activate the environment that has it, such as with "
                + (_ON_WINDOWS if sys.platform == "win32" else "`source .venv/bin/activate` after `make run`"),
                name,
            )


def _refuse(sentence: str, name: str, file: str | None = None) -> None:
    """Print the sentence and end with status 2 while `python -m` looks for a command; else raise it."""
    if sys.argv[:1] == ["-m"]:
        print(sentence, file=sys.stderr)
        raise SystemExit(2)
    raise ImportError(sentence, name=name, path=file)


def _answering(name: str) -> str | None:
    """Return the file that Python takes, or has taken, for a top-level name."""
    if name in sys.modules:
        return getattr(sys.modules[name], "__file__", None)
    spec = importlib.util.find_spec(name)
    return None if spec is None else spec.origin
