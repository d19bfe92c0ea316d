"""The cache of machine code: folders whose names are digests of all the source that the code depends on.

So an edited file is always compiled again and an unchanged file never. The folders lie in the `__pycache__` of the
file's package, or in the user's cache folder if that is not writable. Only kernels of one signature of this project are
cached: every process writes the same code under the same name. A user's rule compiles in 0.2 s, once in each process,
and so is never stale.

Only a file of this user or of root that nobody else may write is loaded, whoever may write the folders.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numerics.kernels.sources import PACKAGES, ROOT, digest_of, package_of, stamps

CACHE_NAME = "kernels"  # the folder of all digests' folders, in a __pycache__ or the user's cache folder
_NO_CODE = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DISABLE_JIT"}  # settings that change no machine code
_STARTED = time.time_ns()


def cache_folder(source: str | None) -> Path | None:
    """Return the folder for the machine code of a source file, or None for code that is not cached.

    None for a user's file, for code without a file, or if no folder is usable. Also None if a file that counts has
    changed since the process began. The code in memory may be older than the file, and would be cached under the digest
    of the newer text.

    The root is NUMBA_CACHE_DIR if set, else the package's __pycache__, or the user's cache folder if that is not
    writable. Other processors, versions of Numba, and code with bounds checks have folders of their own.
    """
    package = None if source is None else package_of(file := Path(source).resolve())
    if package is None or (root := _root(package)) is None:
        return None
    stamped = stamps(file)
    if max(changed for _, changed, _ in stamped) > _STARTED:
        return None
    settings = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_") and item[0] not in _NO_CODE)
    code = digest_of(stamped), settings, _compiler()
    return root / hashlib.sha256(repr(code).encode()).hexdigest()[:16]


def is_private(file: int) -> bool:
    """Return whether an open file belongs to this user or to root, and nobody else may write it."""
    if sys.platform == "win32":  # its files have no such owners and modes
        return True
    found = os.fstat(file)
    return found.st_uid in (0, os.geteuid()) and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@functools.cache
def _compiler() -> tuple[Any, ...]:
    """Return what machine code depends on beside its source and Numba's settings: Numba, LLVM and the processor."""
    import llvmlite.binding as llvm

    found = importlib.util.find_spec("numba")
    assert found is not None
    assert found.origin is not None
    version = Path(found.origin).with_name("_version.py").read_bytes()
    return (
        sys.implementation.cache_tag,
        version,
        llvm.llvm_version_info,
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
    )


@functools.lru_cache
def _root(package: str) -> Path | None:
    """Return the first writable root, and make it if it is missing; None if there is none."""
    for root in _roots(ROOT / package / "__pycache__"):
        with contextlib.suppress(OSError):
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=root) as tried:
                if is_private(tried.fileno()):  # not so where a file system knows no modes, or another user is named
                    return root
    return None


def _roots(*beside: Path) -> Iterator[Path]:
    """Yield the possible folders of caches in order of preference; `beside` is the __pycache__ of a package."""
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
    caches = {cache for name in PACKAGES for cache in (ROOT / name).rglob(f"__pycache__/{CACHE_NAME}")}
    caches |= {root for root in _roots() if root.is_dir()}
    for cache in caches:
        shutil.rmtree(cache, ignore_errors=True)
    return sorted(caches)
