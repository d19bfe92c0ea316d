"""The cache of machine code: folders whose names are digests of all the source that the code depends on.

So an edited file is always compiled again and an unchanged file never. The folders lie in the `__pycache__` beside the
file, or in the user's cache folder if that is not writable. Only kernels of this project are cached: a user's rule
compiles in 0.2 s, once in each process, and so is never stale.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numerics.kernels.sources import digest, is_of_the_project, newest_of_the_project, package_folders

CACHE_NAME = "kernels"  # the folder of all digests' folders, in a __pycache__ or the user's cache folder
_DIGEST = hashlib.sha256().digest_size
_STARTED = time.time()


def cache_folder(source: str | None) -> Path | None:
    """Return the folder for the machine code of a source file, or None for code that is not cached.

    None for a user's file, for code without a file, and if a file of this project has changed since the process began:
    the code in memory may be older than the file, and would be cached under the digest of the newer text.

    The root is NUMBA_CACHE_DIR if set, else the file's __pycache__, or the user's cache folder if that is not writable.
    Code with bounds checks has a separate folder.
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
    """Return Numba's cache of a function, but compile again where a file is damaged or another's, or a disk is full."""
    from numba.core import caching

    cache: Any = caching.FunctionCache
    files: Any = caching.IndexDataCacheFile

    class Whole(files):  # type: ignore[misc]
        """Files of which only machine code is run that is whole, and what the index says that it is.

        A flipped bit in it would be a crash or a wrong number. Two processes that compile a function for two signatures
        at once may give both the same file.
        """

        def save(self, key: Any, data: Any) -> None:
            super().save(key, (key, data))

        def load(self, key: Any) -> Any:
            stored = super().load(key)
            return stored[1] if stored is not None and stored[0] == key else None

        def _save_data(self, name: str, data: Any) -> None:
            code = self._dump(data)
            with self._open_for_write(self._data_path(name)) as file:
                file.write(hashlib.sha256(code).digest() + code)

        def _load_data(self, name: str) -> Any:
            read = Path(self._data_path(name)).read_bytes()
            digest, code = read[:_DIGEST], read[_DIGEST:]
            if hashlib.sha256(code).digest() != digest:
                raise ValueError(f"{name} is damaged")
            return pickle.loads(code)

    class Forgiving(cache):  # type: ignore[misc]
        def __init__(self, function: Any):
            super().__init__(function)
            stamp = self._impl.locator.get_source_stamp()
            self._cache_file = Whole(self._cache_path, self._impl.filename_base, stamp)

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                return super().load_overload(sig, target_context)
            except Exception:
                with contextlib.suppress(OSError):
                    self.flush()  # else writing it again would fail too
                return None

        def save_overload(self, sig: Any, data: Any) -> None:
            with contextlib.suppress(OSError):
                super().save_overload(sig, data)

    def make(function: Any) -> Any:
        try:
            return Forgiving(function)
        except RuntimeError:  # no folder is writable
            return caching.NullCache()

    return make


@contextlib.contextmanager
def cached_in(folder: Path | None) -> Iterator[None]:
    """Cache the code of functions decorated inside the block in a folder; this sets a global of the process."""
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
    """Return the first writable root; make it if it is missing."""
    for root in _roots(folder / "__pycache__"):
        try:
            root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=root):
                return root
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="treebandit-"))


def _roots(*beside: Path) -> Iterator[Path]:
    """Yield the possible folders of caches in order of preference; `beside` is the __pycache__ of a source file."""
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(given) / CACHE_NAME
    for folder in beside:
        yield folder / CACHE_NAME
    home = os.environ.get("XDG_CACHE_HOME")
    with contextlib.suppress(RuntimeError):  # a user without a home
        yield (Path(home) if home else Path.home() / ".cache") / "treebandit" / CACHE_NAME


def clear_cache() -> list[Path]:
    """Remove all kernel caches of this project, beside its files and in the user's cache folder; return their folders.

    Only a user may ask for this: another process may be using the caches.
    """
    caches = {cache for folder in package_folders() for cache in folder.rglob(f"__pycache__/{CACHE_NAME}")}
    caches |= {root for root in _roots() if root.is_dir()}
    for cache in caches:
        shutil.rmtree(cache, ignore_errors=True)
    return sorted(caches)
