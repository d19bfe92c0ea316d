"""The tasks of a run of regret: replications of a policy, played together and stored in one file.

The cut depends only on the problem, never on the workers, so that a run can be finished by another executor. A file is
Parquet with one row a replication.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from bandits import Arms, Policy, Replications
from bandits.simulate import default_checkpoints, replicate
from experiments.engine.experiment import SHARDS
from experiments.engine.tasks import Task
from numerics.output import tables
from numerics.output.files import written_whole

_STEPS = 5_000_000  # of a shard, at least: a thousand times the cost of handing one out
_MOST_KEPT = 2_000_000  # replications times checkpoints of a shard: 66 MB
_TOGETHER = 160  # replications of a shard, at least, so that blocks are full ...
_MOST_STEPS = 2_000_000_000  # ... unless that would make it take minutes
MOST_SHARDS = 1_000_000  # files of one policy
_ROOM = 800_000_000  # bytes that the numbers of some checkpoints and what is made of them may take in memory
_BYTES = 80  # of a checkpoint of a replication
_SCALARS = ("checkpoints", "first")
_COLUMNS = tuple(one.name for one in fields(Replications) if one.name not in _SCALARS)


@dataclass(frozen=True)
class Problem:
    """What every policy of a run is played on."""

    arms: Arms
    horizon: int
    runs: int
    seed: int


@dataclass(frozen=True)
class Shard:
    """Replications `first` ... `first + runs - 1` of policy number `number` of a run."""

    number: int
    policy: Policy
    problem: Problem
    first: int
    runs: int

    @property
    def name(self) -> str:
        """What the shard holds, in words that no other shard has."""
        arms = hashlib.sha256(repr(self.problem.arms).encode()).hexdigest()[:16]
        return (
            f"{self.runs} replications from {self.first} on, of {self.problem.horizon} pulls, of policy "
            f"{self.number} ({self.policy.formula}), seed {self.problem.seed}, arms {arms}"
        )


def plan(policies: Sequence[Policy], problem: Problem, folder: Path) -> list[Task]:
    """Cut a run into tasks, each of one shard."""
    size = shard_runs(problem.horizon)
    cut = [
        Shard(number, policy, problem, first, min(size, problem.runs - first))
        for number, policy in enumerate(policies)
        for first in range(0, problem.runs, size)
    ]
    return [
        Task(folder / SHARDS / f"policy{one.number:03d}_run{one.first:09d}.parquet", play, (one,), one.runs)
        for one in cut
    ]


def shard_runs(horizon: int) -> int:
    """Return how many replications of a horizon make a shard."""
    kept = max(_TOGETHER, _MOST_KEPT // default_checkpoints(horizon).size)
    return max(1, min(_STEPS // horizon, kept), min(_TOGETHER, _MOST_STEPS // horizon))


def play(path: Path, shard: Shard) -> None:
    """Play a shard and store it."""
    start, problem = time.perf_counter(), shard.problem
    played = replicate(
        shard.policy, problem.arms, problem.horizon, default_checkpoints(problem.horizon), problem.seed, shard.first,
        shard.runs,
    )  # fmt: skip
    write(played, path, time.perf_counter() - start, shard.name)


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


def read(task: Task) -> tuple[Replications, float]:
    """Return the replications that a task left and the seconds that playing them took.

    Raises
    ------
    ValueError
        The file is broken, or holds something else than what has this name.
    """
    path, name = task.path, task.arguments[0].name
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


def columns(own: Sequence[Task]) -> Iterator[Replications]:
    """Yield what all shards of a policy kept, without its arms, as many checkpoints at a time as memory has room for.

    The last ones end with step T.
    """
    shard = own[0].arguments[0]
    count = default_checkpoints(shard.problem.horizon).size
    # Two at least: NumPy sums a single column in another order, in which the last bits differ.
    blocks = max(1, min(count // 2, -(-count * shard.problem.runs * _BYTES // _ROOM)))
    ends = [count * block // blocks for block in range(blocks + 1)]
    for begin, end in itertools.pairwise(ends):
        yield Replications.join([read(task)[0].at(slice(begin, end)) for task in own])


def _content(path: Path) -> tuple[dict[bytes, bytes], dict[str, Any]]:
    """Return the notes in a file and its columns, a row of numbers a replication."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        table = file.read()
    pa.default_memory_pool().release_unused()  # of what the file before took
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
