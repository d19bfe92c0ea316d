"""Files that are whole or not there, even after a loss of power: written beside their place, then renamed into it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

_ENDING = ".half"  # so that no file of a user's is taken for one


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Give a name beside `path` to write to; the file takes its place when the block ends well, else it goes.

    A process that is killed inside the block leaves `.NAME.PID.half` behind, never half a `path`; and since the content
    is on the disk before the name is, a loss of power does neither. Whether the name is there after one, only
    `names_kept` says.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "table.csv"
    >>> with atomic_write(place) as beside:
    ...     _ = beside.write_text("a,b")
    >>> place.read_text()
    'a,b'
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}{_ENDING}")
    try:
        yield beside
        _flush(beside)
        os.replace(beside, path)
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)  # a full disk is said without its place
        raise
    finally:
        beside.unlink(missing_ok=True)


def names_kept(folder: Path) -> None:
    """Have the names of all files that are now in a folder survive a loss of power."""
    with contextlib.suppress(OSError):  # Windows opens no folders, and some file systems flush none
        _flush(folder)


def _flush(path: Path) -> None:
    """Wait until the content of a file, or the names in a folder, is on the disk."""
    # Windows flushes only what is open for writing.
    descriptor = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def stale_temporaries(folder: Path) -> list[Path]:
    """Return the temporary files that killed processes left in a folder; empty where there is no folder."""
    left = folder.glob(f".*.*{_ENDING}")
    return [path for path in left if path.stem.rpartition(".")[2].isdigit() and path.is_file()]
