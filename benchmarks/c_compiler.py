"""The C compiler of this machine, if it has one: C files of this folder become libraries that leave nothing on disk."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path


def compiler() -> str | None:
    """Return the C compiler's path, or None where there is none."""
    return shutil.which("cc")


def version() -> str:
    """Return the first line of what the compiler says of itself."""
    return _answer([compiler() or "cc", "--version"]).stdout.splitlines()[0]


def build(source: Path, *more: str) -> ctypes.CDLL:
    """Compile a C file for this machine with -O3 -march=native and `more`, and load it.

    Raises
    ------
    OSError
        The compiler fails.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # Windows keeps a library that is loaded
        library = Path(folder) / f"{source.stem}.so"
        command = [compiler() or "cc", "-O3", "-march=native", *more, "-shared", "-fPIC", "-o", str(library)]
        made = _answer([*command, str(source), "-lm"])
        if made.returncode != 0:
            raise OSError(f"cc fails on {source.name}: {made.stderr.strip().splitlines()[:1]}")
        return ctypes.CDLL(str(library))


def _answer(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a compiler, whatever language it speaks."""
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
