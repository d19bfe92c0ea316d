"""Positions that different orders of moves reach: a table from a position's key to the children it already has.

    key = 64-bit hash of the state's words   ->   first child, number of children

Open addressing with linear probing; a position that finds no place within a few slots is not shared. Two of b expanded
positions have the same key with probability about b^2 / 2^65 (a million: 3e-8), and would then share children wrongly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import int16, int32, types, uint64, void

from numerics.jit import kernel


class Table(NamedTuple):
    """Slots, a power of two of them; none where positions are not shared."""

    keys: np.ndarray  # uint64
    first: np.ndarray  # int32, the first child
    sizes: np.ndarray  # int16, of children; 0 in an empty slot


TABLE: Any = types.BaseTuple.from_types((uint64[::1], int32[::1], int16[::1]), Table)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_PROBES = 64


@kernel()
def key_of(state):
    """Return the key of a position: the splitmix64 finaliser over its words, one after another."""
    key = np.uint64(0)
    for i in range(state.size):
        key = (key ^ np.uint64(state[i])) + _GOLDEN
        key = (key ^ (key >> np.uint64(30))) * _MIX_1
        key = (key ^ (key >> np.uint64(27))) * _MIX_2
        key ^= key >> np.uint64(31)
    return key


@kernel()
def slot_of(table, key):
    """Return the slot of a key, empty if the key is not there; -1 where there is no place for it."""
    mask = table.keys.size - 1
    place = np.int64(key & np.uint64(mask))
    for step in range(_PROBES):
        slot = (place + step) & mask
        if table.sizes[slot] == 0 or table.keys[slot] == key:
            return slot
    return -1


@kernel(void(TABLE, int32[::1], TABLE))
def refill(table, where, fresh):
    """Put the entries of a table into an empty one; where[i] is the new place of node i, -1 if it is gone."""
    for slot in range(table.keys.size):
        if table.sizes[slot] > 0:
            first = where[table.first[slot]] if where.size > 0 else table.first[slot]
            if first >= 0:
                place = slot_of(fresh, table.keys[slot])
                if place >= 0:
                    fresh.keys[place], fresh.first[place] = table.keys[slot], first
                    fresh.sizes[place] = table.sizes[slot]
