"""Other exact solvers of Connect 4, searching without a book; only what is installed."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from connect4 import Board


@dataclass(frozen=True)
class Peer:
    """A solver with its own positions: it solves all of them in one go, and can forget what it has learnt."""

    how: str
    solve: Callable[[], list[int]]
    forget: Callable[[], object]


def bitbully(boards: Sequence[Board]) -> list[Peer]:
    """Return bitbully's three searches, on positions of its own that are made before.

    All are C++, called once a position; scores are Pons's. Which one is the fastest depends on the positions.
    """
    core = importlib.import_module("bitbully.bitbully_core")
    positions = []
    for board in boards:
        position = core.BoardCore()
        if not position.setBoard(list(board.moves)):
            raise ValueError(f"boards must be positions that bitbully takes; got {board!r}")
        positions.append(position)
    solver = core.BitBullyCore()
    calls: dict[str, Callable[[object], int]] = {
        "null windows": solver.nullWindow,
        "MTD(f)": functools.partial(_mtdf, solver),
        "alpha-beta": functools.partial(_alpha_beta, solver),
    }
    return [
        Peer(how, functools.partial(_each, call, positions), solver.resetTranspositionTable)
        for how, call in calls.items()
    ]


def _mtdf(solver: Any, position: object) -> int:
    return int(solver.mtdf(position, 0))


def _alpha_beta(solver: Any, position: object) -> int:
    return int(solver.negamax(position, -21, 21, 0))


def _each(call: Callable[[object], int], positions: Sequence[object]) -> list[int]:
    return [call(position) for position in positions]
