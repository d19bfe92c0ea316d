"""Importing: what a user names by a dotted path, every failure one sentence; all of a folder; what is large."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from numerics.kernels.sources import is_of_a_library, is_of_the_project


def import_all(package: str, path: Iterable[str]) -> None:
    """Import every module of a package, in the order of their names, so that what they define is registered.

    Examples
    --------
    >>> import json
    >>> import_all("json", json.__path__)
    >>> "json.tool" in sys.modules
    True
    """
    for module in sorted(pkgutil.iter_modules(path), key=lambda module: module.name):
        importlib.import_module(f"{package}.{module.name}")


def _of_a_user(file: Path) -> bool:
    return not is_of_a_library(file) and not is_of_the_project(file)


def place_of(error: BaseException, module_name: str) -> str:
    """Return the user's line at which a module failed, with its file if that is another file."""
    frames = traceback.extract_tb(error.__traceback__)
    users = [frame for frame in frames if os.path.isfile(frame.filename) and _of_a_user(Path(frame.filename).resolve())]
    frame = (users or list(frames))[-1]
    file = Path(frame.filename)
    other = "" if file.stem == module_name.rpartition(".")[2] else f"{file.name}, "
    return f"{other}line {frame.lineno}"


def named(argument: str, path: str, example: str) -> Any:
    """Return what a dotted path names.

    Parameters
    ----------
    argument : str
        What a sentence begins with, such as "rule" or "heuristic".
    path : str
        The module, a dot, and a name in it.
    example : str
        A path for the sentence about what is none.

    Raises
    ------
    ValueError
        No dotted path, no such module or name, or a module that fails when it is imported.

    Examples
    --------
    >>> named("heuristic", "math.fsum", "my_heuristics.count")([0.5, 0.5])
    1.0
    """
    module_name, _, name = path.rpartition(".") if isinstance(path, str) else ("", "", "")
    if not all(part.isidentifier() for part in [*module_name.split("."), name]):
        raise ValueError(f"{argument} must be a dotted path such as {example}; got {path!r}")
    if "" not in sys.path and "." not in sys.path:
        sys.path.append("")
    if getattr(getattr(sys.modules.get(module_name), "__spec__", None), "_initializing", False):
        raise ValueError(
            f"{argument} {path!r} is used while {module_name} is being imported; "
            'put what plays it below if __name__ == "__main__":'
        )
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = "it" if error.name == module_name else f"{error.name}, which it imports,"
        raise ValueError(
            f"{argument} {path!r}: no module {module_name!r} to import from here ({missing} was not found)"
        ) from error
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno else f" ({error.msg})"
        raise ValueError(f"{argument} {path!r}: {module_name} has a syntax error{where}") from error
    except SystemExit as error:
        raise ValueError(f"{argument} {path!r}: {module_name} ends the program when imported (sys.exit)") from error
    except Exception as error:
        reason = f"{type(error).__name__}: {error} ({place_of(error, module_name)})"
        raise ValueError(f"{argument} {path!r}: {module_name} fails when imported: {reason}") from error
    value = getattr(module, name, None)
    if value is None:
        raise ValueError(f"{argument} {path!r}: module {module_name!r} has no {name!r}")
    return value
