"""Where compiled code is kept: in a folder whose name is a digest of all the source that the code stands on.

So an edited file is always compiled afresh and an unchanged one never again. Such a folder lies in the `__pycache__`
beside the file, or in the user's cache folder where that cannot be written. Which ones lie outside this project is
noted in the user's cache folder, for the command that clears them.
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

import numba
from numba.core import caching, dispatcher

from numerics.sources import digest, newest_of_the_project

CACHE_NAME = "kernels"  # the folder, inside a __pycache__ or the user's cache folder, that holds one folder a digest
_NOTES = "rules_elsewhere.txt"
_PROJECT = Path(__file__).resolve().parent.parent
_settings: Any = numba.config
_dispatcher: Any = dispatcher
_FunctionCache: Any = caching.FunctionCache
_STARTED = time.time()


def cache_folder(*sources: str | None, captured: str = "") -> Path | None:
    """Return the folder for compiled code that stands on some source files, or None for code that is in no file.

    None too where one of this project's own files has changed since the process began: what is in memory may be older
    than the file, and would be kept under the digest of a text that it was not made of.

    NUMBA_CACHE_DIR is honoured as the root; else the root is the first file's own __pycache__, or the user's cache
    folder where that cannot be written. Code with bounds checks has a folder of its own, and so has what a user's
    function captures, by its digest (`numerics.captures`).
    """
    files = [Path(source).resolve() for source in sources if source is not None and os.path.isfile(source)]
    if len(files) < len(sources) or any(newest_of_the_project(file) > _STARTED for file in files):
        return None
    name = "-".join([*(digest(file) for file in files), *([captured] if captured else [])])
    return _root(files[0].parent) / (name + ("-bounds" if _settings.BOUNDSCHECK else ""))


class _Kept(_FunctionCache):  # type: ignore[misc]
    """A function's code on disk; where it is broken or cannot be written, that costs the time to compile, and no run.

    Numba itself would end with the error of the disk, or with what unpickling makes of half a file.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return compiled code, or None where there is none that can be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:
            with contextlib.suppress(OSError):
                self.flush()  # else it could not be written again either
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write compiled code, if the disk takes it."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


def _kept(function: Any) -> Any:
    """Return what Numba looks into for a function's code, which is always empty where no folder can be made."""
    try:
        return _Kept(function)
    except RuntimeError:
        return caching.NullCache()


@contextlib.contextmanager
def kept_in(folder: Path | None) -> Iterator[None]:
    """Have functions that are decorated inside keep their code in a folder: a setting of the whole process."""
    before = _settings.CACHE_DIR, _dispatcher.FunctionCache
    try:
        _settings.CACHE_DIR, _dispatcher.FunctionCache = "" if folder is None else str(folder), _kept
        yield
    finally:
        _settings.CACHE_DIR, _dispatcher.FunctionCache = before


@functools.lru_cache(maxsize=64)
def _root(folder: Path) -> Path:
    """Return the first root that can be written, made if it was absent."""
    for root in _roots(folder):
        try:
            root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=root):
                _remember(root)
                return root
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="bandit-laboratory-"))


def _roots(folder: Path) -> Iterator[Path]:
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(given) / CACHE_NAME
    yield folder / "__pycache__" / CACHE_NAME
    yield _home() / CACHE_NAME


def _home() -> Path:
    """Return our folder among the user's caches; it may be absent."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "bandit-laboratory"


def _remember(root: Path) -> None:
    """Note a root outside the project, which holds code of a user's rule, so that it can be found again to clear it."""
    if not _beside_a_file(root) or root.is_relative_to(_PROJECT) or root in remembered():
        return
    with contextlib.suppress(OSError):  # nothing but a note
        _home().mkdir(parents=True, exist_ok=True)
        with (_home() / _NOTES).open("a", encoding="utf-8") as notes:
            notes.write(f"{root}\n")


def _beside_a_file(root: Path) -> bool:
    return root.name == CACHE_NAME and root.parent.name == "__pycache__"


def remembered() -> list[Path]:
    """Return the roots outside the project that processes of this user have made, and that are still there."""
    try:
        lines = (_home() / _NOTES).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    return [root for line in dict.fromkeys(lines) if _beside_a_file(root := Path(line)) and root.is_dir()]


def clear_cache(folder: Path) -> list[Path]:
    """Remove every kernel cache below `folder`, the user-wide one and those remembered; return what was removed.

    A running process may be using a cache, so that no process removes one on its own: this is for a person to ask.
    """
    visible = [child for child in folder.iterdir() if child.is_dir() and not child.name.startswith(".")]
    places = {place for child in visible for place in child.rglob(CACHE_NAME) if place.parent.name == "__pycache__"}
    places |= set(folder.glob(f"__pycache__/{CACHE_NAME}"))
    places |= {root for root in _roots(folder) if root.is_dir()}
    places |= set(remembered())
    for place in places:
        shutil.rmtree(place, ignore_errors=True)
    (_home() / _NOTES).unlink(missing_ok=True)
    return sorted(places)
