"""Parts of recordings in JSON: arrays, positions, and how many steps a file of a megabyte has room for."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import numpy.typing as npt

from connect4 import Board
from numerics import checks

_STEPS = 2_000  # where their number is not given
BYTES = 525_000  # of a file's steps: 700,000 letters of its megabyte, the rest of which is for the page


def pack(values: npt.ArrayLike, kind: str) -> str:
    """Return numbers as base64 of their little-endian bytes, of type "u1", "u2" or "f4".

    Examples
    --------
    >>> pack([1, 258], "u2")
    'AQACAQ=='
    """
    with np.errstate(over="ignore"):  # an index beyond float32 is inf there
        return base64.b64encode(np.asarray(values).astype(f"<{kind}").tobytes()).decode()


def position_of(board: Board) -> dict[str, Any]:
    """Return a position: the moves to it, columns from 1, and the size of the board."""
    return {"moves": board.notation, "width": board.width, "height": board.height, "connect": board.connect}


def count_steps(steps: int, noun: str) -> str:
    """Return a number of steps in words.

    Examples
    --------
    >>> count_steps(1, "pull"), count_steps(2000, "pull")
    ('1 pull', '2,000 pulls')
    """
    return f"{steps:,} {noun}{'' if steps == 1 else 's'}"


def check_steps(name: str, steps: int | None, bytes_a_step: int, rules: int, room: int = BYTES) -> int:
    """Return a number of steps that a file has room for, by default 2,000 or fewer; `room` is in bytes.

    Raises
    ------
    ValueError
        One sentence that says how many there may be.

    Examples
    --------
    >>> check_steps("horizon", 100_000, 40, 2)
    Traceback (most recent call last):
    ValueError: horizon must be at most 6562 for a file below 1 MB with 2 rules; got 100000
    """
    most = room // (bytes_a_step * rules)
    steps = min(_STEPS, most) if steps is None else checks.check_whole(name, steps, 1)
    if steps > most:
        with_rules = count_steps(rules, "rule")
        raise ValueError(f"{name} must be at most {most} for a file below 1 MB with {with_rules}; got {steps}")
    return steps
