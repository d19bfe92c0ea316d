"""Places in arrays: addresses, so that a kernel can hand a few numbers of a long array to a hook at little cost.

An array is passed as seven words, and its owner is told twice; a hook of eight arrays costs 20 ns a call before it has
done anything. A pointer is one word. It does not know where its array ends or whether that still lives: whoever makes
one holds the array until the call is over.

In plain Python a pointer is the rest of the array from that place on.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from numerics.jit import COMPILED

_carray: Any = numba.carray  # type: ignore[attr-defined]


def _address(_typing: Any, whole: Any, place: Any) -> tuple[Any, Any]:
    """Return the signature of `pointer`, and the function that writes its code."""

    def write(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        data = cgutils.create_struct_proxy(whole)(context, builder, value=arguments[0]).data
        return builder.gep(data, [arguments[1]])

    return types.CPointer(whole.dtype)(whole, place), write


def _rest(whole: Any, place: int) -> Any:
    return whole.reshape(-1)[place:]


def _first(pointer: Any, shape: Any) -> Any:
    return pointer[: math.prod(shape) if isinstance(shape, tuple) else shape].reshape(shape)


at: Any = np.uint64
"""An index that is known not to be negative: nothing needs to be counted from the array's end, which costs time."""

pointer: Any = intrinsic(_address) if COMPILED else _rest
"""Return the address of entry `place` of a C-contiguous array."""

array_at: Any = _carray if COMPILED else _first
"""Return the C-contiguous array of a shape that begins at a pointer."""
