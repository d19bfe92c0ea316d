"""Places in arrays: addresses, so that a kernel can hand a few numbers of a long array to a hook at little cost.

An array is passed as seven words, and its owner is told twice; a hook of eight arrays costs 20 ns a call before it has
done anything. A pointer is one word. It does not know where its array ends or whether that still lives: whoever makes
one holds the array until the call is over.

In plain Python a pointer is the rest of the array from that place on.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

at: Any = np.uint64
"""An index that is known not to be negative: nothing needs to be counted from the array's end, which costs time."""


def pointer(whole: Any, place: int) -> Any:
    """Return the address of entry `place` of a C-contiguous array, or of what a pointer points to."""
    return whole.reshape(-1)[place:]


def array_at(pointer: Any, shape: Any) -> Any:
    """Return the C-contiguous array of a shape, a number or a tuple, that begins at a pointer."""
    return pointer[: math.prod(shape) if isinstance(shape, tuple) else shape].reshape(shape)
