"""Digests of all source text that can change the results of a file.

A compiled kernel may inline a function of another file, and Numba's own cache looks only at the kernel's file. So for a
file of the project, all files of its package and of the packages below count. For a user's file, it is that file and
the user's files that it imports. They are read from the import statements, so nothing depends on earlier imports.
"""

from __future__ import annotations

import ast
import functools
import glob
import hashlib
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]  # of our packages, and of an environment's others where they are installed
_LAYERS = {  # each package with those that it may import, as import-linter has it
    "numerics": ("numerics",),
    "bandits": ("numerics", "bandits"),
    "connect4": ("numerics", "connect4"),
    "mcts": ("numerics", "bandits", "mcts"),
    "experiments": ("numerics", "bandits", "connect4", "mcts", "experiments"),
    "treebandit": ("numerics", "bandits", "connect4", "mcts", "experiments", "treebandit"),
}
PACKAGES = tuple(_LAYERS)
_LIBRARY_FOLDERS = tuple(
    f"{Path(folder).resolve()}{os.sep}"
    for folder in {sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")}
)
# Also under another prefix: that of the base Python of an environment, or of the user.
_INSTALLED = {"site-packages", "dist-packages"}

Stamps = tuple[tuple[str, int, int], ...]  # the path, the modification time in nanoseconds and the size of files


def digest(path: str | Path) -> str:
    """Return 16 hexadecimal digits that change with the text that a source file's results depend on.

    Parameters
    ----------
    path : str or Path
        A Python source file.

    Examples
    --------
    >>> from numerics import games, random
    >>> digest(games.__file__) == digest(random.__file__)  # one layer
    True
    """
    return digest_of(stamps(Path(path).resolve()))


def stamps(file: Path) -> Stamps:
    """Return the files that the results of a resolved source file depend on, with their modification times."""
    package = package_of(file)
    files: Iterable[Any] = (
        sorted(_of_the_user(file))
        if package is None
        else (ROOT / name / path for name in _LAYERS[package] for path in _modules(ROOT / name))
    )
    return tuple((str(path), (now := os.stat(path)).st_mtime_ns, now.st_size) for path in files)


@functools.lru_cache(maxsize=64)
def digest_of(stamped: Stamps) -> str:
    """Return the digest of the names and the text of files; their times and sizes keep what is remembered valid."""
    total = hashlib.sha256()
    for path, _, _ in stamped:
        total.update(os.fsencode(os.path.basename(path)) + b"\0" + Path(path).read_bytes() + b"\0")
    return total.hexdigest()[:16]


def package_of(file: Path) -> str | None:
    """Return the package of this project in which a resolved file lies, or None."""
    return next((name for name in PACKAGES if file.is_relative_to(ROOT / name)), None)


def is_of_a_library(path: Path) -> bool:
    """Return whether a resolved file belongs to the standard library or to another installed package."""
    installed = str(path).startswith(_LIBRARY_FOLDERS) or not _INSTALLED.isdisjoint(path.parts)
    return installed and package_of(path) is None


def _modules(folder: Path) -> list[str]:
    """Return the source files below a folder, sorted; `root_dir`, since its own path may hold a bracket or a star."""
    return sorted(glob.glob("**/*.py", root_dir=folder, recursive=True))


def _of_the_user(file: Path) -> set[Path]:
    """Return a file and all that it imports, directly or not, of neither this project nor a library."""
    reached, waiting = {file}, [file]
    while waiting:
        for candidate in _imported_files(waiting.pop()):
            imported = candidate.resolve()
            if imported not in reached and not is_of_a_library(imported) and package_of(imported) is None:
                reached.add(imported)
                waiting.append(imported)
    return reached


def _imported_files(file: Path) -> Iterator[Path]:
    """Yield the files that may be meant by the import statements of a file, at its top or inside functions."""
    try:
        statements = ast.walk(ast.parse(file.read_bytes()))
    except (SyntaxError, ValueError):
        return
    top = next(folder for folder in file.parents if not (folder / "__init__.py").is_file())
    anywhere = sorted({file.parent, top, *map(Path, sys.path)})
    for node in statements:
        if isinstance(node, ast.Import):
            roots, names = anywhere, [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = file.parents[node.level] if 0 < node.level < len(file.parents) else None
            roots, within = anywhere, [node.module] if node.module else []
            if above is not None:
                roots, within = [above], [file.parents[node.level - 1].name, *within]
            names = [".".join([*within, alias.name]) for alias in node.names]
        else:
            continue
        yield from (path for root in roots for name in names for path in _run_by(root, name) if path.is_file())


def _run_by(root: Path, name: str) -> Iterator[Path]:
    """Yield the files that an import of a dotted name runs if its packages lie in a folder."""
    location = root
    for part in name.split("."):
        location /= part
        yield from (location.parent / f"{part}.py", location / "__init__.py")
