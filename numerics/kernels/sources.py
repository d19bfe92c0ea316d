"""Dependencies of a source file: a digest of a Python file and of all files of the project or user that it imports.

A compiled kernel may inline a function of another file. Numba's cache looks only at the kernel's file, and would keep
the old function after the other file was edited. A digest of all imported files cannot be stale.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import os
import re
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

_WITH_KERNELS = ("numerics", "bandits", "connect4", "mcts")  # packages that have kernels
PACKAGES = (*_WITH_KERNELS, "experiments", "treebandit")  # followed even if installed in site-packages
_FOLDERS = {name: f"{Path(__file__).resolve().parents[2] / name}{os.sep}" for name in PACKAGES}
_PROJECT_FOLDERS = tuple(_FOLDERS[name] for name in _WITH_KERNELS)
_LIBRARY_FOLDERS = tuple(
    f"{Path(folder).resolve()}{os.sep}"
    for folder in {sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")}
)

# In the project's files, which are formatted alike: texts between quotes that may hold examples, and imports.
_TEXT = re.compile(rb'"""[\s\S]*?"""')
_IMPORT = re.compile(rb"^ *((?:from|import) [^(\n#]*(?:\([^)]*\))?)", re.MULTILINE)

# Also under another prefix: that of the base Python of an environment, or of the user.
_INSTALLED = {"site-packages", "dist-packages"}


def digest(path: str | Path) -> str:
    """Return 16 hexadecimal digits that change when `path`, or a file that it imports, changes.

    It ignores files of the standard library and of installed packages, which users do not edit. It follows both
    `import helper` and `from helper import f`, at the top of a file or inside a function.

    Parameters
    ----------
    path : str or Path
        A Python source file.

    Examples
    --------
    >>> from numerics import random
    >>> len(digest(random.__file__))
    16
    """
    stamps = ((source, source.stat()) for source in sorted(closure(Path(path).resolve())))
    return _digest(tuple((source, stamp.st_mtime_ns, stamp.st_size) for source, stamp in stamps))


def newest_of_the_project(path: str | Path) -> float:
    """Return the latest modification time, in seconds since the epoch, of the project's files that `path` imports."""
    files = [source for source in closure(Path(path).resolve()) if is_of_the_project(source)]
    return max((source.stat().st_mtime for source in files), default=0.0)


@functools.lru_cache(maxsize=512)
def _digest(stamped: tuple[tuple[Path, int, int], ...]) -> str:
    """Return the digest of some files; the modification times keep the cache valid."""
    total = hashlib.sha256()
    for source, _, _ in stamped:
        total.update(os.fsencode(source.name) + b"\0" + source.read_bytes() + b"\0")
    return total.hexdigest()[:16]


def closure(path: Path) -> set[Path]:
    """Return `path` and all files outside the library folders that it imports, directly or indirectly."""
    sources: set[Path] = set()
    waiting = [path]
    while waiting:
        source = waiting.pop()
        if source not in sources:
            sources.add(source)
            stamp = source.stat()
            waiting.extend(_imported_files(source, stamp.st_mtime_ns, stamp.st_size))
    return sources


@functools.lru_cache(maxsize=512)
def _imported_files(source: Path, _modified: int, _size: int) -> tuple[Path, ...]:
    """Return the files that a source file imports; time and size keep the cache valid."""
    ours = str(source).startswith(tuple(_FOLDERS.values()))
    files: list[Path | None] = []
    for names, package in _imported_names(source, ours):
        if ours and names[0].partition(".")[0] not in PACKAGES:
            continue  # a library; to look for it takes longer than all the rest
        located = [_locate(name, source.parent) for name in names]
        # `from package import module` needs only the modules; `from package import f` the package's file itself.
        files += located if package is None or all(located) else [*located, _locate(package, source.parent)]
    return tuple(file for file in files if file is not None)


def _imported_names(source: Path, ours: bool) -> Iterator[tuple[list[str], str | None]]:
    """Yield the names that each import may find as modules, and the package that `from package import` names."""
    text = source.read_bytes()
    if ours:  # to parse all of each took a third of a second of every command
        text = b"\n".join(match[1] for match in _IMPORT.finditer(_TEXT.sub(b"", text)))
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:  # `import a.b` also imports the package a
                steps = alias.name.split(".")
                yield [".".join(steps[: depth + 1]) for depth in range(len(steps))], None
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                parents = _package_of(source).split(".")
                kept = parents[: len(parents) - node.level + 1]
                module = ".".join([*kept, module] if module else kept)
            yield [f"{module}.{alias.name}" for alias in node.names], module


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements, nested ones too; skip expressions, which cannot import and are most of a tree."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(tree, part, ()):
            yield inner
            yield from _statements(inner)


def _package_of(source: Path) -> str:
    """Return the dotted name of a file's package, from the __init__.py files above it."""
    names: list[str] = []
    folder = source.parent
    while (folder / "__init__.py").exists():
        names.insert(0, folder.name)
        folder = folder.parent
    return ".".join(names)


def _locate(name: str, folder: Path) -> Path | None:
    """Return the source file of a module of the project or user, without importing it."""
    top, *rest = name.split(".")
    spec = None if top in sys.stdlib_module_names else _find_top(top)
    roots = [str(folder), *(entry or "." for entry in sys.path)] if spec is None else [str(spec.parent)]
    for root in roots:
        base = os.path.join(root, top, *rest)
        for candidate in (base + ".py", os.path.join(base, "__init__.py")):
            if os.path.isfile(candidate):
                return _followed(candidate, top in PACKAGES)
    return None


@functools.lru_cache(maxsize=4096)  # modules import the same few hundred files again and again
def _followed(file: str, ours: bool) -> Path | None:
    """Return the resolved path of a file, or None for a file of a library."""
    resolved = Path(file).resolve()
    return resolved if ours or not is_of_a_library(resolved) else None


def _find_top(top: str) -> Path | None:
    """Return the folder or file from which Python would import a top-level name."""
    module = sys.modules.get(top)
    origin = getattr(module, "__file__", None)
    if origin is None:
        try:
            spec = importlib.util.find_spec(top)
        except (ImportError, ValueError):
            return None
        origin = spec.origin if spec is not None else None
    if origin is None or not origin.endswith(".py"):
        return None
    file = Path(origin)
    return file.parent if file.name == "__init__.py" else file


def is_of_a_library(path: Path) -> bool:
    """Return whether a resolved file belongs to the standard library or to another installed package."""
    installed = str(path).startswith(_LIBRARY_FOLDERS) or not _INSTALLED.isdisjoint(path.parts)
    return installed and not is_of_the_project(path)


def is_of_the_project(path: Path) -> bool:
    """Return whether a resolved file lies in a package of this project."""
    return str(path).startswith(_PROJECT_FOLDERS)


def package_folders() -> list[Path]:
    """Return the folders of this project's packages that have kernels."""
    return [Path(folder) for folder in _PROJECT_FOLDERS]
