"""Atomic files: whole or absent, even after a loss of power; written under a temporary name, then renamed."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

_ENDING = ".half"  # unlikely as the ending of a user's file
_PAUSES = (0.01, 0.03, 0.1, 0.3, 1.0)  # seconds between attempts to rename


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path` to write to; rename it to `path` if the block succeeds, else delete it.

    A process killed inside the block leaves `.NAME.PID.half` behind, never half a `path`. Nor does a loss of power,
    because the content reaches the disk before the name does.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "table.csv"
    >>> with atomic_write(path) as beside:
    ...     _ = beside.write_text("a,b")
    >>> path.read_text()
    'a,b'
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}{_ENDING}")
    try:
        yield beside
        with beside.open("r+b") as written:  # Windows flushes only files that are open for writing
            os.fsync(written.fileno())
        for pause in _PAUSES if sys.platform == "win32" else ():  # where a reader or a virus scanner may have it open
            with contextlib.suppress(PermissionError):
                os.replace(beside, path)
                return
            time.sleep(pause)
        os.replace(beside, path)
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)  # the error of a full disk names no file
        raise
    finally:
        beside.unlink(missing_ok=True)


def is_temporary(name: str) -> bool:
    """Whether a file is, by its name, one that `atomic_write` writes to."""
    stem = name.removesuffix(_ENDING)
    return name.startswith(".") and stem != name and stem.rpartition(".")[2].isdigit()


def stale_temporaries(folder: Path) -> list[Path]:
    """Return the temporary files that killed processes left in a folder; empty if there is no folder."""
    return [path for path in folder.glob(f".*.*{_ENDING}") if is_temporary(path.name) and path.is_file()]
