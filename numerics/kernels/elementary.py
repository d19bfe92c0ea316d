"""Logarithm, exponential and the count of bits by pure arithmetic, so that compilers vectorise loops of them.

All work on the bits of a number, and give the same on every machine. The first two err by less than two units in the
last place; those of a libm err by about half a unit.
"""

from __future__ import annotations

import numpy as np

from numerics.kernels.arrays import same_bits
from numerics.kernels.jit import kernel

_ROOT_HALF = 0x3FE6A09E667F3BCD  # the bits of sqrt(1/2)
_WHOLE = 0x4338000000000000  # the bits of 1.5 * 2^52, whose last bits hold an added small integer
_FROM_WHOLE = 6755399441055744.0  # the number itself
_LN2_HIGH, _LN2_LOW = 0.6931471804855391, 7.440617110012397e-11  # ln 2; the first has 20 bits to spare
_PER_LN2 = 1.4426950408889634
_LEAST = -700.0  # below it, the exponential is 0 here
_M1, _M2, _M4 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_H01 = np.uint64(0x0101010101010101)


@kernel(inline=True)
def ln(x):
    """Return the natural logarithm of a normal number above 0.

    x = 2^k m, m within [sqrt(1/2), sqrt(2)); ln m = 2 artanh(s), s = (m - 1) / (m + 1), by its power series.
    """
    bits = same_bits(np.float64(x), np.int64)
    k = (bits - _ROOT_HALF) >> 52
    m = same_bits(np.int64(bits - (k << 52)), np.float64)
    power = same_bits(np.int64(k + _WHOLE), np.float64) - _FROM_WHOLE
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    odd = 0.05263157894736842 + z * 0.047619047619047616
    odd = 0.06666666666666667 + z * (0.058823529411764705 + z * odd)
    odd = 0.09090909090909091 + z * (0.07692307692307693 + z * odd)
    odd = 0.14285714285714285 + z * (0.1111111111111111 + z * odd)
    odd = z * (0.3333333333333333 + z * (0.2 + z * odd))
    return power * _LN2_HIGH + (power * _LN2_LOW + 2.0 * (s + s * odd))


@kernel(inline=True)
def exp(x):
    """Return e^x for x <= 0, or a little above; 0 below -700.

    x = k ln 2 + r, |r| <= ln(2) / 2; e^r by its power series.
    """
    y = x if x > _LEAST else _LEAST
    bits = same_bits(np.float64(y * _PER_LN2 + _FROM_WHOLE), np.int64)
    power = same_bits(np.int64(bits), np.float64) - _FROM_WHOLE
    r = (y - power * _LN2_HIGH) - power * _LN2_LOW
    e = 2.08767569878681e-09 + r * 1.6059043836821613e-10
    e = 2.755731922398589e-07 + r * (2.505210838544172e-08 + r * e)
    e = 2.48015873015873e-05 + r * (2.7557319223985893e-06 + r * e)
    e = 0.001388888888888889 + r * (0.0001984126984126984 + r * e)
    e = 0.041666666666666664 + r * (0.008333333333333333 + r * e)
    e = 1.0 + r * (1.0 + r * (0.5 + r * (0.16666666666666666 + r * e)))
    e *= same_bits(np.int64((bits - _WHOLE + 1023) << 52), np.float64)
    return e if x > _LEAST else 0.0


@kernel(inline=True)
def popcount(bits):
    """Return the number of set bits (compilers turn this idiom into one instruction)."""
    x = np.uint64(bits)
    x = x - ((x >> np.uint64(1)) & _M1)
    x = (x & _M2) + ((x >> np.uint64(2)) & _M2)
    x = (x + (x >> np.uint64(4))) & _M4
    return np.int64((x * _H01) >> np.uint64(56))
