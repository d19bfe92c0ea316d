"""One file a shard: replications as Parquet, one row each, written beside and renamed."""

from __future__ import annotations

import hashlib
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from bandits import Replications, tables
from numerics.files import written_whole

_SCALARS = ("checkpoints", "first")
_COLUMNS = tuple(one.name for one in fields(Replications) if one.name not in _SCALARS)


def write(played: Replications, path: Path, seconds: float, name: str) -> None:
    """Store replications under the name of what was played; every column holds a row of numbers a replication."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {}
    for one in _COLUMNS:
        values = getattr(played, one)
        columns[one] = pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
    notes = {
        "name": name, "first": str(played.first), "seconds": repr(seconds), "checkpoints": played.checkpoints.tobytes(),
        "digest": _digest(played, seconds),
    }  # fmt: skip
    with written_whole(path) as beside:
        pq.write_table(pa.table(columns, metadata=notes), beside, compression="zstd", compression_level=1)


def read(path: Path, name: str) -> tuple[Replications, float]:
    """Return a shard's replications and the seconds that playing them took.

    Raises
    ------
    ValueError
        The file is broken, or holds something else than what has this name.
    """
    cure = f"remove this file, and the same command with hydra.run.dir={path.parent.parent} plays it again"
    with tables.readable(path, cure):
        notes, values = _content(path)
        if (held := notes.get(b"name", b"no replications").decode(errors="replace")) != name:
            raise ValueError(f"it holds {held}, not {name}")
        try:
            checkpoints, first = np.frombuffer(notes[b"checkpoints"], dtype=np.int64), int(notes[b"first"])
            played, seconds = Replications(checkpoints, first, **values), float(notes[b"seconds"])
            same = notes[b"digest"].decode() == _digest(played, seconds)
        except (KeyError, TypeError):  # a column or a note has another name
            same = False
        if not same:
            raise ValueError("its numbers are not those that were stored")
    return played, seconds


def _content(path: Path) -> tuple[dict[bytes, bytes], dict[str, Any]]:
    """Return the notes in a file and its columns, a row of numbers a replication."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        table = file.read()
    values = {}
    for one in table.column_names:
        column = table.column(one).combine_chunks()
        if not isinstance(column, pa.FixedSizeListArray):
            raise ValueError("it holds no replications")
        values[one] = column.flatten().to_numpy(zero_copy_only=False).reshape(len(table), -1)
    return table.schema.metadata or {}, values


def _digest(played: Replications, seconds: float) -> str:
    """Return a digest of everything that a shard tells; the disk below may change a bit of it."""
    total = hashlib.sha256(f"{played.first} {seconds!r}".encode())
    for one in ("checkpoints", *_COLUMNS):
        total.update(np.ascontiguousarray(getattr(played, one)).data)
    return total.hexdigest()
