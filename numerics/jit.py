"""One decorator for every compiled function of the project, and where its compiled code is kept.

The options are the same everywhere: no fast-math (the same seeds give the same numbers with and without compilation),
the GIL released, division by zero as in IEEE 754, and code kept on disk in a folder whose name is a digest of all the
source the kernel stands on, so that an edited file is always compiled afresh and an unchanged one never again.
"""

from __future__ import annotations

import functools
import inspect
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

from numerics.sources import digest

Function = TypeVar("Function", bound=Callable[..., Any])

CACHE_NAME = "kernels"  # the folder, inside a __pycache__ or the user's cache folder, that holds one folder a digest
_settings: Any = numba.config
_njit: Any = numba.njit
COMPILED = not _settings.DISABLE_JIT
_one_at_a_time = threading.RLock()  # the cache folder is a setting of the whole process


def kernel(
    signature: Any = None, *, inline: bool = False, sources: Sequence[str | None] = ()
) -> Callable[[Function], Function]:
    """Compile a function with the project's options and keep the result on disk.

    Parameters
    ----------
    signature : numba signature, optional
        Given: compile (or load) now, for this signature only; entry points and hooks do this. Left out: compile for
        the types met, when first called from another kernel; helpers do this.
    inline : bool
        Paste the function into its callers before optimisation; for one-line helpers of inner loops.
    sources : sequence of str
        The files that the function stands on, where that is not the one it was written in.

    Returns
    -------
    decorator
        Gives back the compiled function. With NUMBA_DISABLE_JIT=1 it gives back the Python function itself, and an
        entry point then runs with the floating-point rules of the compiled one (no warning at overflow or 1 / 0).

    Examples
    --------
    >>> from numba import float64
    >>> twice = kernel(float64(float64))(lambda x: 2.0 * x)
    >>> twice(4.0)
    8.0
    """

    def decorate(function: Function) -> Function:
        if not COMPILED:
            return _quiet(function) if signature is not None else function
        options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
        if inline:
            options["inline"] = "always"
        folder = cache_folder(*(sources or [inspect.getsourcefile(function)]))
        with _one_at_a_time:
            before = _settings.CACHE_DIR
            try:  # the place of a function's cache is fixed while it is decorated
                _settings.CACHE_DIR = str(folder) if folder is not None else ""
                given = () if signature is None else (signature,)
                compiled: Function = _njit(*given, cache=folder is not None, **options)(function)
                return compiled
            finally:
                _settings.CACHE_DIR = before

    return decorate


def cache_folder(*sources: str | None) -> Path | None:
    """Return the folder for compiled code that stands on some source files, or None for code that is in no file.

    NUMBA_CACHE_DIR is honoured as the root; else the root is the first file's own __pycache__, or the user's cache
    folder where that cannot be written. Code with bounds checks has a folder of its own.
    """
    files = [Path(source).resolve() for source in sources if source is not None and os.path.isfile(source)]
    if len(files) < len(sources):
        return None
    name = "-".join(digest(file) for file in files)
    return _root(files[0].parent) / (name + ("-bounds" if _settings.BOUNDSCHECK else ""))


@functools.lru_cache(maxsize=64)
def _root(folder: Path) -> Path:
    """Return the first root that can be written, made if it was absent."""
    for root in _roots(folder):
        try:
            root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=root):
                return root
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="bandit-laboratory-"))


def _roots(folder: Path) -> Iterator[Path]:
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(given) / CACHE_NAME
    yield folder / "__pycache__" / CACHE_NAME
    home = os.environ.get("XDG_CACHE_HOME")
    yield (Path(home) if home else Path.home() / ".cache") / "bandit-laboratory" / CACHE_NAME


def clear_cache(folder: Path) -> list[Path]:
    """Remove every kernel cache below `folder`, and the user-wide one; return what was removed.

    A running process may be using a cache, so that no process removes one on its own: this is for a person to ask.
    """
    visible = [child for child in folder.iterdir() if child.is_dir() and not child.name.startswith(".")]
    places = {place for child in [*visible] for place in child.rglob(CACHE_NAME) if place.parent.name == "__pycache__"}
    places |= set(folder.glob(f"__pycache__/{CACHE_NAME}"))
    places |= {root for root in _roots(folder) if root.is_dir()}
    for place in places:
        shutil.rmtree(place, ignore_errors=True)
    return sorted(places)


def _quiet(function: Function) -> Function:
    """Run a kernel in plain Python under the floating-point rules that its compiled form has."""

    @functools.wraps(function)
    def quiet(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*arguments)

    return quiet  # type: ignore[return-value]
