"""Positions of other boards than 7 x 6, drawn and solved for one run: half from random games, half from self-play."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.engine.tasks import Task
from experiments.graded_positions.__main__ import found_by, search, settle
from experiments.graded_positions.positions import BOTH, MIXTURES, Graded, mixed

_BLOCK = 7  # positions of a part
_CANDIDATES = 5  # of each number: small boards have few positions

Size = tuple[int, int, int]


def drawing(folder: Path, positions: int, seed: int, size: Size) -> list[Task]:
    """Return the tasks that draw and solve positions of a board in a folder."""
    count = -(-positions // len(MIXTURES[BOTH]))
    return [
        Task(
            folder / f"drawn_{kind}{first:07d}.json",
            search,
            (kind, seed, range(first, min(first + _BLOCK, count)), _CANDIDATES, size),
            min(_BLOCK, count - first),
        )
        for kind in MIXTURES[BOTH]
        for first in range(0, count, _BLOCK)
    ]


def drawn(tasks: Sequence[Task], size: Size, positions: int) -> list[tuple[Graded, str]]:
    """Return the positions that these tasks drew, and the kind of each; no two are the same or mirror images.

    Raises
    ------
    ValueError
        A board without a position in which a move can lose the value.
    """
    kinds: dict[str, list[Graded]] = {}
    for kind in MIXTURES[BOTH]:
        of_kind = [task for task in tasks if task.arguments[0] == kind]
        kinds[kind], _ = settle(
            found_by(of_kind, size),
            [position for positions_of_kind in kinds.values() for position in positions_of_kind],
        )
    drawn = list(mixed(kinds, MIXTURES[BOTH]))[:positions]
    if not drawn:
        columns, rows, connect = size
        raise ValueError(
            f"board {columns}x{rows} with connect={connect} has no position of this seed in which moves differ in value"
        )
    return drawn
