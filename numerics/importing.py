"""Importing what a user names by a dotted path, every failure one sentence, and what is large."""

from __future__ import annotations

import contextlib
import gc
import importlib
import sys
import traceback
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Import and load without looking for garbage: kernels are a hundred thousand objects that all stay.

    The first search of a process takes a fifth less time so.

    Examples
    --------
    >>> with uncollected():
    ...     import json
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


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
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = "it" if error.name == module_name else f"{error.name}, which it imports,"
        raise ValueError(
            f"{argument} {path!r}: no module {module_name!r} to import from here ({missing} was not found)"
        ) from error
    except SyntaxError as error:
        raise ValueError(f"{argument} {path!r}: {module_name} has a syntax error in line {error.lineno}") from error
    except Exception as error:
        line = traceback.extract_tb(error.__traceback__)[-1].lineno
        raise ValueError(
            f"{argument} {path!r}: {module_name} fails when imported: {type(error).__name__}: {error} (line {line})"
        ) from error
    found = getattr(module, name, None)
    if found is None:
        raise ValueError(f"{argument} {path!r}: module {module_name!r} has no {name!r}")
    return found
