"""Sets as the bits of a word, int64: all 64 bits count, so that a word of 64 cells may be negative."""

from __future__ import annotations

import numpy as np

from numerics.kernels.jit import kernel

_M1, _M2, _M4 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_H01 = np.uint64(0x0101010101010101)


@kernel(inline=True)
def popcount(bits):
    """Return the number of set bits (compilers turn this idiom into one instruction)."""
    x = np.uint64(bits)
    x = x - ((x >> np.uint64(1)) & _M1)
    x = (x & _M2) + ((x >> np.uint64(2)) & _M2)
    x = (x + (x >> np.uint64(4))) & _M4
    return np.int64((x * _H01) >> np.uint64(56))


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
