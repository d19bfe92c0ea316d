"""The tasks of a run of regret: replications of a policy, played together and stored in one file.

The division depends only on the problem, never on the workers. So another executor can finish a run.

A file has the Arrow format, followed by a digest of its bytes. The first batch holds the arms of the replications. Each
further batch holds the data of some checkpoints, so tables can be made from a few checkpoints of all shards at a time.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt

from bandits import Arms, Policy, Replications
from bandits.delivery.base import Delivery
from bandits.simulation import AT_ONCE, default_checkpoints, replicate, room
from experiments.engine.experiment import SHARDS
from experiments.engine.tasks import Task, parts_of
from numerics.output import tables
from numerics.output.files import atomic_write

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


def plan(policies: Sequence[Policy], problem: Setting, folder: Path) -> list[Task]:
    """Cut a run into tasks, each of one shard."""
    cut = [
        Shard(number, policy, problem, part[0], len(part))
        for number, policy in enumerate(policies)
        for part in parts_of(problem.runs, shard_runs(problem.horizon))
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
    """Play a shard and store it, with the seconds that playing took."""
    import pyarrow as pa

    start, problem, times = time.perf_counter(), shard.problem, default_checkpoints(shard.problem.horizon)
    what = (shard.policy, problem.arms, problem.horizon, times, problem.seed, shard.first, shard.runs)
    played = replicate(*what, delivery=problem.delivery)
    seconds = time.perf_counter() - start
    by_arm = (*_BY_ARM, *(_ARM_CHANGES if problem.arms.changing else ()))
    by_time = (*_BY_TIME, *(_TIME_CHANGES if problem.arms.changing else ()), *(["alarms"] * shard.policy.alarms))
    parts = [{name: getattr(played, name) for name in by_arm}]
    parts += [{name: getattr(played, name)[:, part] for name in by_time} for part in _group_checkpoints(problem)]
    types = [(name, pa.from_numpy_dtype(getattr(played, name).dtype)) for name in (*by_arm, *by_time)]
    schema = pa.schema([(name, pa.large_list(kind)) for name, kind in types], metadata={"seconds": repr(seconds)})
    stored = pa.BufferOutputStream()
    with pa.ipc.new_file(stored, schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as file:
        for part in parts:
            cells = [pa.array(part[name].ravel() if name in part else [], kind) for name, kind in types]
            lists = [pa.LargeListArray.from_arrays([0, len(cell)], cell) for cell in cells]
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
        The file is broken.
    """
    shard = task.arguments[0]
    values, seconds = _read_batch(task, 0)
    return Replications(default_checkpoints(shard.problem.horizon), shard.first, **values), seconds


def columns(shards: Sequence[Task]) -> Iterator[Replications]:
    """Yield what all shards of a policy kept, without its arms, as many checkpoints at a time as memory has room for.

    The last ones end with step T. Each shard must have been read before, which tells whether it is whole.
    """
    problem, policy = shards[0].arguments[0].problem, shards[0].arguments[0].policy
    checkpoints = default_checkpoints(problem.horizon)
    for number, times in enumerate(_group_checkpoints(problem), start=1):
        joined = room(policy, problem.arms, checkpoints[times], 0, problem.runs, count=0)
        for task in shards:
            target = joined.part(task.arguments[0].first, task.arguments[0].runs)
            for name, values in _read_batch(task, number)[0].items():
                if values.size:
                    getattr(target, name)[:] = values
        yield joined


def _read_batch(task: Task, number: int) -> tuple[dict[str, npt.NDArray[Any]], float]:
    """Return the columns of a batch in a task's file, a row of numbers a replication, and the seconds of playing.

    Before the first batch all bytes are checked. An error is a ValueError with a sentence that names the file.
    """
    import pyarrow as pa

    path, runs = task.path, task.arguments[0].runs
    cure = f"remove this file and repeat the command with hydra.run.dir={path.parent.parent}"
    with tables.explain_unreadable(path, cure), path.open("rb") as opened, pa.PythonFile(opened) as file:
        if number == 0:
            content = file.read()
            if hashlib.sha256(memoryview(content)[:-_DIGEST]).digest() != content[-_DIGEST:]:
                raise ValueError("its checksum differs")
        reader = pa.ipc.open_file(file, footer_offset=file.size() - _DIGEST)
        batch = reader.get_batch(number)
        values = {name: batch.column(name).flatten().to_numpy().reshape(runs, -1) for name in batch.schema.names}
        return values, float(reader.schema.metadata[b"seconds"])


def _group_checkpoints(problem: Setting) -> list[slice]:
    """Return which checkpoints are stored together: as many as memory has room for, of all replications."""
    count = default_checkpoints(problem.horizon).size
    # Two at least: NumPy sums a single column in another order, in which the last bits differ.
    blocks = max(1, min(count // 2, -(-count * problem.runs * _BYTES // _ROOM)))
    ends = [count * block // blocks for block in range(blocks + 1)]
    return [slice(begin, end) for begin, end in itertools.pairwise(ends)]
