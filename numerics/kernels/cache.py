"""Where machine code is cached: in a folder whose name is a digest of all the source that the code stands on.

So an edited file is always compiled afresh and an unchanged one never again. Such a folder lies in the `__pycache__`
beside the file, or in the user's cache folder where that cannot be written. Only kernels of this project are cached: a
user's rule compiles in 0.2 s, once in each process, and so is never stale.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numerics.kernels.sources import digest, is_of_the_project, newest_of_the_project, package_folders

CACHE_NAME = "kernels"  # the folder, inside a __pycache__ or the user's cache folder, that holds one folder a digest
_STARTED = time.time()


def cache_folder(source: str | None) -> Path | None:
    """Return the folder for the machine code of a source file, or None for code that is not cached.

    None for a user's file, for code in no file, and where a file of this project has changed since the process began:
    what is in memory may be older than the file, and would be cached under the digest of another text.

    NUMBA_CACHE_DIR is honoured as the root; else the root is the file's own __pycache__, or the user's cache folder
    where that cannot be written. Code with bounds checks has a folder of its own.
    """
    import numba

    if source is None or not is_of_the_project(file := Path(source).resolve()):
        return None
    if newest_of_the_project(file) > _STARTED:
        return None
    settings: Any = numba.config
    return _root(file.parent) / (digest(file) + ("-bounds" if settings.BOUNDSCHECK else ""))


@functools.cache
def _forgiving_cache() -> Any:
    """Return Numba's cache of a function, except that a broken file or a full disk costs compiling, and no run."""
    from numba.core import caching

    cache: Any = caching.FunctionCache

    class Forgiving(cache):  # type: ignore[misc]
        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                return super().load_overload(sig, target_context)
            except Exception:
                with contextlib.suppress(OSError):
                    self.flush()  # else it could not be written again either
                return None

        def save_overload(self, sig: Any, data: Any) -> None:
            with contextlib.suppress(OSError):
                super().save_overload(sig, data)

    def make(function: Any) -> Any:
        try:
            return Forgiving(function)
        except RuntimeError:  # no folder can be made
            return caching.NullCache()

    return make


@contextlib.contextmanager
def cached_in(folder: Path | None) -> Iterator[None]:
    """Have functions that are decorated inside cache their code in a folder: a setting of the whole process."""
    import numba
    from numba.core import dispatcher

    settings: Any = numba.config
    makers: Any = dispatcher
    before = settings.CACHE_DIR, makers.FunctionCache
    try:
        settings.CACHE_DIR, makers.FunctionCache = "" if folder is None else str(folder), _forgiving_cache()
        yield
    finally:
        settings.CACHE_DIR, makers.FunctionCache = before


@functools.lru_cache(maxsize=64)
def _root(folder: Path) -> Path:
    """Return the first root that can be written, made if it was absent."""
    for root in _roots(folder / "__pycache__"):
        try:
            root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=root):
                return root
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="treebandit-"))


def _roots(*beside: Path) -> Iterator[Path]:
    """Yield where caches may lie, the first choice first; `beside` is the __pycache__ of a source file."""
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(given) / CACHE_NAME
    for folder in beside:
        yield folder / CACHE_NAME
    home = os.environ.get("XDG_CACHE_HOME")
    yield (Path(home) if home else Path.home() / ".cache") / "treebandit" / CACHE_NAME


def clear_cache() -> list[Path]:
    """Remove every kernel cache of this project, beside its files and in the user's cache folder; return what went.

    A running process may be using a cache, so that no process removes one on its own: this is for a person to ask.
    """
    places = {found for folder in package_folders() for found in folder.rglob(f"__pycache__/{CACHE_NAME}")}
    places |= {root for root in _roots() if root.is_dir()}
    for place in places:
        shutil.rmtree(place, ignore_errors=True)
    return sorted(places)
