"""Positions that different orders of moves reach: a table from a position's key to the children it already has.

    key = 64-bit hash of the state's words   ->   first child, number of children

Open addressing with linear probing; a position that finds no place within a few slots is not shared. Two of b expanded
positions have the same key with probability about b^2 / 2^65 (a million: 3e-8), and would then share children wrongly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from numerics.kernels.jit import Vector, kernel
from numerics.random import GOLDEN, finalised


class Table(NamedTuple):
    """The slots, all of shape [S], a power of two; S = 0 where positions are not shared."""

    keys: Vector[np.uint64]  # of positions
    first: Vector[np.int32]  # the first child
    sizes: Vector[np.int16]  # the number of children; 0 in an empty slot


_PROBES = 64


@kernel()
def key_of(state: npt.NDArray[np.int64]) -> np.uint64:
    """Return the key of a position: the splitmix64 finaliser over its words, one after another."""
    key = np.uint64(0)
    for i in range(state.size):
        key = finalised((key ^ np.uint64(state[i])) + GOLDEN)
    return key


@kernel()
def slot_of(table, key):
    """Return the slot of a key, empty if the key is not there; -1 where there is no place for it."""
    mask = table.keys.size - 1
    home = np.int64(key & np.uint64(mask))
    for step in range(_PROBES):
        slot = (home + step) & mask
        if table.sizes[slot] == 0 or table.keys[slot] == key:
            return slot
    return -1


@kernel("void(Table, int32[::1], Table)")
def refill(table: Table, where: npt.NDArray[np.int32], fresh: Table) -> None:
    """Put the entries of a table into an empty one; where[i] is the new place of node i, -1 if it is gone."""
    for slot in range(table.keys.size):
        if table.sizes[slot] > 0:
            first = where[table.first[slot]] if where.size > 0 else table.first[slot]
            if first >= 0:
                new = slot_of(fresh, table.keys[slot])
                if new >= 0:
                    fresh.keys[new], fresh.first[new] = table.keys[slot], first
                    fresh.sizes[new] = table.sizes[slot]
