"""One file a shard: replications as Parquet, one row each, written beside and renamed."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from bandits import Replications, tables
from numerics.files import written_whole

_SCALARS = ("checkpoints", "first")
_COLUMNS = tuple(one.name for one in fields(Replications) if one.name not in _SCALARS)


def write(played: Replications, path: Path, seconds: float) -> None:
    """Store replications; every column holds one fixed-length row of numbers a replication."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {}
    for name in _COLUMNS:
        values = getattr(played, name)
        columns[name] = pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
    notes = {"first": str(played.first), "seconds": repr(seconds), "checkpoints": played.checkpoints.tobytes()}
    with written_whole(path) as beside:
        pq.write_table(pa.table(columns, metadata=notes), beside, compression="zstd", compression_level=1)


def read(path: Path) -> tuple[Replications, float]:
    """Return a shard's replications and the seconds that playing them took."""
    import pyarrow.parquet as pq

    run = path.parent.parent
    with tables.readable(path, f"remove this file, and the same command with hydra.run.dir={run} plays it again"):
        table = pq.read_table(path)
    notes: dict[bytes, bytes] = table.schema.metadata
    values: dict[str, Any] = {}
    for name in _COLUMNS:
        column = table.column(name).combine_chunks()
        values[name] = column.flatten().to_numpy(zero_copy_only=False).reshape(len(table), -1)
    played = Replications(
        checkpoints=np.frombuffer(notes[b"checkpoints"], dtype=np.int64), first=int(notes[b"first"]), **values
    )
    return played, float(notes[b"seconds"])
