"""The tasks of a run of regret: replications of a policy, played together and stored in one file.

The cut depends only on the problem, never on the workers, so that a run can be finished by another executor.

A file is Arrow's, followed by a digest of its bytes. Its first batch holds the arms of the replications, each further
one what they kept at some checkpoints: tables are made from some checkpoints of all shards at a time, read once each.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bandits import Arms, Policy, Replications
from bandits.delivery.base import Delivery
from bandits.simulation import AT_ONCE, default_checkpoints, replicate, room
from experiments.engine.experiment import SHARDS
from experiments.engine.tasks import Task
from numerics.output import tables
from numerics.output.files import atomic_write

if TYPE_CHECKING:
    import pyarrow as pa

_STEPS = 5_000_000  # of a shard, at least: a thousand times the cost of handing one out
_MOST_KEPT = 2_000_000  # replications times checkpoints of a shard: 82 MB
_TOGETHER = 160  # replications of a shard, at least, so that blocks are full ...
_MOST_STEPS = 2_000_000_000  # ... unless that would make it take minutes
MOST_SHARDS = 1_000_000  # files of one policy
_ROOM = 800_000_000  # bytes of memory for the numbers of some checkpoints and the results computed from them
_BYTES = 96  # of a checkpoint of a replication
_BY_ARM = ("means", "pulls")
_BY_TIME = ("pseudo_regret", "reward_sum", "best_reward_sum", "reward", "optimal", "simple_regret")
_ARM_CHANGES, _TIME_CHANGES = ("lost",), ("against_fixed", "best_pulls")  # of arms that change
_DIGEST = 32  # bytes of it at the end of a file


@dataclass(frozen=True)
class Setting:
    """The bandit, horizon, seed and delivery that all policies of a run share."""

    arms: Arms
    horizon: int
    runs: int
    seed: int
    delivery: Delivery = AT_ONCE


@dataclass(frozen=True)
class Shard:
    """Replications `first` ... `first + runs - 1` of policy number `number` of a run."""

    number: int
    policy: Policy
    problem: Setting
    first: int
    runs: int

    @property
    def name(self) -> str:
        """A unique description of the shard's contents."""
        arms = hashlib.sha256(repr(self.problem.arms).encode()).hexdigest()[:16]
        return (
            f"{self.runs} replications from {self.first} on, of {self.problem.horizon} pulls, of policy "
            f"{self.number} ({self.policy.formula}), seed {self.problem.seed}, arms {arms}, "
            f"delivery {self.problem.delivery}"
        )


def plan(policies: Sequence[Policy], problem: Setting, folder: Path) -> list[Task]:
    """Cut a run into tasks, each of one shard."""
    size = shard_runs(problem.horizon)
    cut = [
        Shard(number, policy, problem, first, min(size, problem.runs - first))
        for number, policy in enumerate(policies)
        for first in range(0, problem.runs, size)
    ]
    return [
        Task(folder / SHARDS / f"policy{shard.number:03d}_run{shard.first:09d}.arrow", play_shard, (shard,), shard.runs)
        for shard in cut
    ]


def shard_runs(horizon: int) -> int:
    """Return how many replications of a horizon make a shard."""
    kept = max(_TOGETHER, _MOST_KEPT // default_checkpoints(horizon).size)
    return max(1, min(_STEPS // horizon, kept), min(_TOGETHER, _MOST_STEPS // horizon))


def play_shard(path: Path, shard: Shard) -> None:
    """Play a shard and store it."""
    start, problem = time.perf_counter(), shard.problem
    played = replicate(
        shard.policy,
        problem.arms,
        problem.horizon,
        default_checkpoints(problem.horizon),
        problem.seed,
        shard.first,
        shard.runs,
        delivery=problem.delivery,
    )
    write(played, path, time.perf_counter() - start, shard)


def write(played: Replications, path: Path, seconds: float, shard: Shard) -> None:
    """Store the replications of a shard and the seconds that playing them took."""
    import pyarrow as pa

    by_arm, by_time = _columns(shard)
    values = {name: _narrow(getattr(played, name)) for name in (*by_arm, *by_time)}
    parts = [{name: values[name] for name in by_arm}]
    parts += [{name: values[name][:, times] for name in by_time} for times in _group_checkpoints(shard.problem)]
    schema = pa.schema(
        [(name, pa.large_list(pa.from_numpy_dtype(array.dtype))) for name, array in values.items()],
        metadata={"name": shard.name, "seconds": repr(seconds)},
    )
    stored = pa.BufferOutputStream()
    with pa.ipc.new_file(stored, schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as file:
        for part in parts:
            cells = [part.get(name, array[:0]).ravel() for name, array in values.items()]
            lists = [pa.LargeListArray.from_arrays([0, cell.size], pa.array(cell)) for cell in cells]
            file.write_batch(pa.record_batch(lists, schema=schema))
    content = stored.getvalue()
    with atomic_write(path) as beside, beside.open("wb") as out:
        out.write(content)
        out.write(hashlib.sha256(content).digest())


def read(task: Task) -> tuple[Replications, float]:
    """Return the replications that a task left, without any checkpoints, and the seconds that playing them took.

    Raises
    ------
    ValueError
        The file is broken, or holds another shard than its name says.
    """
    shard = task.arguments[0]
    with _open(task) as file:
        content = file.read()
        if hashlib.sha256(memoryview(content)[:-_DIGEST]).digest() != content[-_DIGEST:]:
            raise ValueError("its bytes are not those that were stored")
        notes, values = _batch(file, 0, shard)
        if (held := notes[b"name"].decode()) != shard.name:
            raise ValueError(f"it holds {held}, not {shard.name}")
    return Replications(default_checkpoints(shard.problem.horizon), shard.first, **values), float(notes[b"seconds"])


def columns(shards: Sequence[Task]) -> Iterator[Replications]:
    """Yield what all shards of a policy kept, without its arms, as many checkpoints at a time as memory has room for.

    The last ones end with step T. Each shard must have been read before, which tells whether it is whole.
    """
    problem, policy = shards[0].arguments[0].problem, shards[0].arguments[0].policy
    checkpoints = default_checkpoints(problem.horizon)
    for number, times in enumerate(_group_checkpoints(problem), start=1):
        joined = room(policy, problem.arms, checkpoints[times], 0, problem.runs, count=0)
        for task in shards:
            shard = task.arguments[0]
            with _open(task) as file:
                _, values = _batch(file, number, shard)
            target = joined.part(shard.first, shard.runs)
            for name in _columns(shard)[1]:
                getattr(target, name)[:] = values[name]
        yield joined


def _group_checkpoints(problem: Setting) -> list[slice]:
    """Return which checkpoints are stored together: as many as memory has room for, of all replications."""
    count = default_checkpoints(problem.horizon).size
    # Two at least: NumPy sums a single column in another order, in which the last bits differ.
    blocks = max(1, min(count // 2, -(-count * problem.runs * _BYTES // _ROOM)))
    ends = [count * block // blocks for block in range(blocks + 1)]
    return [slice(begin, end) for begin, end in itertools.pairwise(ends)]


def _narrow(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return numbers in half the bytes if that changes none, such as sums of rewards that are 0 or 1."""
    if values.dtype != np.float64:
        return values
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32)
    return narrow if np.array_equal(narrow, values) else values


@contextlib.contextmanager
def _open(task: Task) -> Iterator[pa.NativeFile]:
    """Open the file of a task, or raise ValueError with a sentence that names the file."""
    import pyarrow as pa

    path = task.path
    cure = f"remove this file, and the same command with hydra.run.dir={path.parent.parent} plays it again"
    with tables.explain_unreadable(path, cure), path.open("rb") as opened, pa.PythonFile(opened) as file:
        yield file


def _columns(shard: Shard) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what a file keeps by arm and by checkpoint."""
    changing, alarms = shard.problem.arms.changing, ("alarms",) if shard.policy.alarms else ()
    by_arm, by_time = (_ARM_CHANGES, _TIME_CHANGES) if changing else ((), ())
    return (*_BY_ARM, *by_arm), (*_BY_TIME, *by_time, *alarms)


def _batch(file: pa.NativeFile, number: int, shard: Shard) -> tuple[dict[bytes, bytes], dict[str, npt.NDArray[Any]]]:
    """Return the notes in a file and the columns of one of its batches, a row of numbers a replication."""
    import pyarrow as pa

    reader = pa.ipc.open_file(file, footer_offset=file.size() - _DIGEST)
    batch = reader.get_batch(number)
    return reader.schema.metadata, {
        name: batch.column(name).flatten().to_numpy().reshape(shard.runs, -1)
        for names in _columns(shard)
        for name in names
    }
