"""Pointers into arrays, by which a kernel passes a few numbers of a long array to a hook at little cost.

Passing an array takes seven words and two reference counts. So a hook with eight arrays costs 20 ns a call before it
does anything. A pointer is one word. It knows neither where its array ends nor whether it still exists: the caller must
hold the array until the call is over.

In plain Python a pointer is the rest of the array from that index on.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

at: Any = np.uint64
"""Makes an index unsigned, which saves the check for a negative index that counts from the array's end."""


def pointer(whole: Any, index: int) -> Any:
    """Return a pointer to entry `index` of a C-contiguous array, or of the entries from another pointer on."""
    return whole.reshape(-1)[index:]


def pointers_of(table: Any) -> Any:
    """Return a named tuple of pointers to the arrays of another."""
    return type(table)(*(pointer(column, 0) for column in table))


def borrowed(arrays: Any) -> Any:
    """Return an array, or a named tuple of arrays, without a count of references, which the kernel's caller holds.

    A kernel that ends by an exception of a hook does not take back what it has counted.
    """
    return arrays


def array_at(pointer: Any, shape: Any) -> Any:
    """Return the C-contiguous array that begins at a pointer; `shape` is a number or a tuple."""
    return pointer[: math.prod(shape) if isinstance(shape, tuple) else shape].reshape(shape)
