"""Sets as the bits of a word, int64: all 64 bits count, so that a word of 64 cells may be negative."""

from __future__ import annotations

import numpy as np

from numerics.kernels.elementary import popcount
from numerics.kernels.jit import kernel


@kernel(inline=True)
def shift(bits, by):
    """Move bits up by some places, from -63 to 63; what leaves the word is lost, and zeros come in."""
    if by >= 0:
        return np.int64(np.uint64(bits) << np.uint64(by))
    return np.int64(np.uint64(bits) >> np.uint64(-by))


@kernel(inline=True)
def nth_bit(bits, n):
    """Return bit number n of the set bits, counted from 0 and the lowest, as a word."""
    for _ in range(n):
        bits &= bits - 1
    return bits & -bits


@kernel(inline=True)
def place_of(bit):
    """Return the place of a single set bit."""
    return popcount(bit - 1)
