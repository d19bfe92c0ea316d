"""Importing what a user names by a dotted path, every failure one sentence, and what is large."""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from numerics.sources import closure, is_of_a_library, is_of_the_project


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


@contextlib.contextmanager
def _leaving_no_bytecode() -> Iterator[None]:
    """Import without leaving Python's compiled files: those tell an edit by its second and size, or not at all."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


_Stamp = tuple[int, int]  # of a file: when it was changed, and its size
_StoodOn = dict[str, tuple[Path, _Stamp | None]]  # modules with their files
_imported: dict[str, tuple[ModuleType, _StoodOn]] = {}  # a user's modules, each with those of the user that it needs


def _note(module: ModuleType) -> None:
    """Remember what files a user's module was made of when it was imported."""
    file = getattr(module, "__file__", None)
    known, _ = _imported.get(module.__name__, (None, {}))
    if known is module or file is None or module.__name__ == "__main__" or not _of_a_user(Path(file)):
        return  # a script that runs cannot be imported again
    files = {source for source in closure(Path(file).resolve()) if _of_a_user(source)}
    loaded = [(name, getattr(one, "__file__", None)) for name, one in list(sys.modules.items())]
    stood_on = {
        name: found
        for name, place in loaded
        if name != "__main__" and place and (found := Path(place).resolve()) in files
    }
    _imported[module.__name__] = (module, {name: (found, _stamp(found)) for name, found in stood_on.items()})


def _forget_changed(module_name: str) -> None:
    """Let a user's module be imported again, with the user's modules that it imports, if one has been edited since.

    Python's own compiled files go by the second and the size of an edit, and would give the old text back.
    """
    module, stood_on = _imported.get(module_name, (None, {}))
    if sys.modules.get(module_name) is not module or all(_stamp(file) == at for file, at in stood_on.values()):
        return
    for name, (file, _) in stood_on.items():
        sys.modules.pop(name, None)
        package, _, last = name.rpartition(".")
        if package in sys.modules:  # where `from . import helper` would find the old one
            vars(sys.modules[package]).pop(last, None)
        Path(importlib.util.cache_from_source(str(file))).unlink(missing_ok=True)
    del _imported[module_name]
    importlib.invalidate_caches()


def _stamp(file: Path) -> _Stamp | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _of_a_user(file: Path) -> bool:
    return not is_of_a_library(file) and not is_of_the_project(file)


def _place(error: Exception, module_name: str) -> str:
    """Return the user's line at which the import of a module failed, with its file where that is another one."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if os.path.isfile(frame.filename) and _of_a_user(Path(frame.filename))]
    frame = (own or list(frames))[-1]
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
        _forget_changed(module_name)
        with _leaving_no_bytecode():
            module = importlib.import_module(module_name)
        _note(module)
    except ModuleNotFoundError as error:
        missing = "it" if error.name == module_name else f"{error.name}, which it imports,"
        raise ValueError(
            f"{argument} {path!r}: no module {module_name!r} to import from here ({missing} was not found)"
        ) from error
    except SyntaxError as error:
        place = f" in line {error.lineno}" if error.lineno else f" ({error.msg})"
        raise ValueError(f"{argument} {path!r}: {module_name} has a syntax error{place}") from error
    except SystemExit as error:
        raise ValueError(f"{argument} {path!r}: {module_name} ends the program when imported (sys.exit)") from error
    except Exception as error:
        reason = f"{type(error).__name__}: {error} ({_place(error, module_name)})"
        raise ValueError(f"{argument} {path!r}: {module_name} fails when imported: {reason}") from error
    found = getattr(module, name, None)
    if found is None:
        raise ValueError(f"{argument} {path!r}: module {module_name!r} has no {name!r}")
    return found
