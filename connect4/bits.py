"""Stones as the bits of a whole number of any size: rows of one colour, and a board seen from behind.

Cell (column, height above the ground) is bit column * stride + that height. The stride is one more than the height of
the board, so that no row runs on from one column into the next.
"""

from __future__ import annotations

import functools


@functools.cache
def _shifts(stride: int, connect: int) -> tuple[tuple[int, ...], ...]:
    """Return, for each direction, the shifts that find a row of `connect` by doubling: 1, 2, 4, ... and the rest."""
    steps = []
    for step in (1, stride, stride - 1, stride + 1):
        length, shifts = 1, []
        while 2 * length <= connect:
            shifts.append(length * step)
            length *= 2
        if length < connect:
            shifts.append((connect - length) * step)
        steps.append(tuple(shifts))
    return tuple(steps)


def has_row(stones: int, stride: int, connect: int) -> bool:
    """Return whether some stones hold a row of `connect`.

    Examples
    --------
    >>> has_row(0b1111, stride=7, connect=4), has_row(0b10111, stride=7, connect=4)
    (True, False)
    """
    for shifts in _shifts(stride, connect):
        rows = stones
        for shift in shifts:
            rows &= rows >> shift
        if rows:
            return True
    return False


def is_in_row(stone: int, stones: int, stride: int, connect: int) -> bool:
    """Return whether one of some stones, given as its bit, lies in a row of `connect` or more of them."""
    for step in (1, stride, stride - 1, stride + 1):
        length, above, below = 1, stone << step, stone >> step
        while stones & above:
            length, above = length + 1, above << step
        while stones & below:
            length, below = length + 1, below >> step
        if length >= connect:
            return True
    return False


def mirror(stones: int, stride: int, width: int) -> int:
    """Return stones with the first column last.

    Examples
    --------
    >>> bin(mirror(0b001_000_011, stride=3, width=3))
    '0b11000001'
    """
    column_bits, turned = (1 << stride) - 1, 0
    for _ in range(width):
        turned = turned << stride | stones & column_bits
        stones >>= stride
    return turned
