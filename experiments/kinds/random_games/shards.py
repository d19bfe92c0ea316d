"""The work on random play, cut into parts; each stores its results in one small JSON file.

The division depends only on the requested numbers, never on the workers. The results of a part depend only on the seed
and the part's number. So any executor finishes a killed run with the same bytes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from connect4.combinatorics.counting import count
from connect4.combinatorics.estimates import Sums, mixed_fillings, walk_games, walk_positions
from connect4.combinatorics.random_games import random_games
from connect4.kernels.encode import is_wide
from experiments.engine.tasks import Task, parts_of
from numerics.output.files import atomic_write

_CELLS = {"games": 4_200_000, "paths": 840_000, "fillings": 4_200_000}  # of all boards of a part; 0.05 to 0.2 seconds
_POSITION_PATHS = 500  # of a part; 0.2 seconds on 7 x 6, 1 second on 8 x 8


def plan(amounts: Mapping[str, int], shape: tuple[int, int, int], seed: int, folder: Path) -> list[Task]:
    """Cut the work into tasks; `amounts` has the amount of each kind of work by the keys of the configuration.

    The exact count, which cannot be cut, is the first of them.
    """
    sizes = {
        "exact_positions": amounts["exact_positions"],
        **{kind: max(1, cells // (shape[0] * shape[1])) for kind, cells in _CELLS.items()},
        "position_paths": _POSITION_PATHS,
    }
    return [
        Task(folder / f"{kind}_{part[0]:012d}.json", store, (kind, shape, len(part), seed, part[0]))
        for kind, size in sizes.items()
        for part in parts_of(amounts[kind], size)
    ]


def store(path: Path, kind: str, shape: tuple[int, int, int], amount: int, seed: int, first: int) -> None:
    """Do a part of the work and store its results; JSON keeps every bit of a float."""
    start = time.perf_counter()
    result = _WORK[kind](*shape, amount, seed, first)
    text = json.dumps({"found": result, "seconds": time.perf_counter() - start}, default=_plain)
    with atomic_write(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")


def _plain(result: Any) -> Any:
    return result.tolist() if isinstance(result, np.ndarray) else vars(result)


def _lengths(width: int, height: int, connect: int, games: int, seed: int, first: int) -> npt.NDArray[np.int64]:
    """Return how many games had each result and length, int64[3, cells + 1]: row 1, -1 or 0."""
    record = random_games(width, height, connect, games, seed, first)
    table = np.zeros((3, width * height + 1), dtype=np.int64)
    np.add.at(table, (record.results, record.lengths), 1)  # result -1 is the last row
    return table


_WORK: dict[str, Callable[..., Any]] = {
    # Every ply that has at most so many positions; nothing is random here.
    "exact_positions": lambda width, height, connect, most, seed, first: (
        [] if is_wide(width, height) else list(count(width, height, connect, most=most))
    ),
    "games": _lengths,
    "paths": walk_games,
    "fillings": mixed_fillings,
    "position_paths": walk_positions,
}


def gather(tasks: Sequence[Task]) -> tuple[dict[str, list[Any]], list[dict[str, Any]]]:
    """Return the results of the parts of each kind, in order, and the seconds that each took."""
    results: dict[str, list[Any]] = {kind: [] for kind in _WORK}
    timings = []
    for task in tasks:
        stored = json.loads(task.path.read_text(encoding="utf-8"))
        results[task.arguments[0]].append(stored["found"])
        timings.append({"part": task.path.stem, "seconds": stored["seconds"]})
    return results, timings


def join(parts: Sequence[Mapping[str, Any]]) -> dict[str, Sums]:
    """Return the sums over all random paths, by name, from the sums of the parts."""
    return {
        name: Sums.join(
            [
                Sums(part[name]["count"], *(np.array(part[name][key]) for key in ("peak", "total", "squares")))
                for part in parts
            ]
        )
        for name in parts[0]
    }
