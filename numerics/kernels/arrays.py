"""Arrays that kernels make, and numbers read anew from the same bits.

Kernels may call `np.zeros`, `np.empty` and `.view` as well. Numba then compiles its own functions for each type, which
takes a fifth of the time of a kernel's first use. These here are a few LLVM instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def zeros(shape: Any, number: Any = np.float64) -> Any:
    """Return a C-contiguous array of zeros, which begins on a cache line: lanes that straddle two take twice as long.

    Parameters
    ----------
    shape : int or tuple of int
        As in `np.zeros`.
    number : class
        `np.float64`, `np.int64`, or another class of numbers.
    """
    return np.zeros(shape, number)


def empty(shape: Any, number: Any = np.float64) -> Any:
    """Return an array as `zeros` does, of whatever the memory held before."""
    return np.empty(shape, number)


def same_bits(value: Any, number: Any) -> Any:
    """Return a number, or a C-contiguous array of one axis, as another class of numbers reads its bits.

    Examples
    --------
    >>> int(same_bits(1.0, np.int64)) == 1023 << 52
    True
    """
    return np.asarray(value).view(number)[()]
