"""Files that are whole or not there: written beside their place, then renamed into it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

_ENDING = ".half"  # so that no file of a user's is taken for one


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Give a name beside `path` to write to; the file takes its place when the block ends well, else it goes.

    A process that is killed inside the block leaves `.NAME.PID.half` behind, never half a `path`.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "table.csv"
    >>> with written_whole(place) as beside:
    ...     _ = beside.write_text("a,b")
    >>> place.read_text()
    'a,b'
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}{_ENDING}")
    try:
        yield beside
        os.replace(beside, path)
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)  # a full disk is said without its place
        raise
    finally:
        beside.unlink(missing_ok=True)


def halves(folder: Path) -> list[Path]:
    """Return what killed processes left beside the places of files in a folder; empty where there is no folder."""
    left = folder.glob(f".*.*{_ENDING}")
    return [path for path in left if path.stem.rpartition(".")[2].isdigit() and path.is_file()]
