"""SIMD lanes: 64 bytes of numbers as a single value of a kernel, as a processor's vector registers hold them.

Compilers vectorise a loop over an array. But values that such a loop carries from row to row of a table are written to
memory and read back. Lanes stay in registers:

    high = lanes_at(scores, r)                                  # scores[r : r + 8]
    for a in range(1, arms):
        score = lanes_at(scores, a * size + r)
        high = where(score > high, score, high)
    put_lanes(top, r, high)

Lanes are eight numbers of float64 or uint64, or sixteen of float32 or int32. Floats support `+ * > ==`, uint64 `+ ^ |
<< >>`, int32 `+ - & | >`, between lanes and with a number on the right. So one function works for lanes and for single
numbers. In plain Python lanes are NumPy arrays; `numerics.kernels.numba_extensions` compiles them.

Nothing checks that an array has enough entries: the caller handles the rest of an array number by number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

LANES = 8
SHORT_LANES = 16  # of numbers that take 32 bits


def lanes_at(array: Any, index: int) -> Any:
    """Return the lanes that begin at entry `index` of an array, or of the entries from a pointer on."""
    return array[index : index + 64 // array.itemsize].copy()


def put_lanes(array: Any, index: int, lanes: Any) -> None:
    """Write lanes to an array, from entry `index` on."""
    array[index : index + lanes.size] = lanes


def lanes_of(number: Any) -> Any:
    """Return lanes that repeat a number: eight times, or sixteen times for float32 and int32."""
    return np.full(64 // np.asarray(number).itemsize, number)


def select_lanes(truth: Any, yes: Any, no: Any) -> Any:
    """Return `yes` in the lanes where `truth` holds, and `no` in the others."""
    return np.where(truth, yes, no)


def bits_of(truth: Any) -> int:
    """Return a number whose bit k is set if lane k of a comparison holds."""
    return int.from_bytes(np.packbits(truth, bitorder="little").tobytes(), "little")


def first_bit(bits: int) -> int:
    """Return the index of the lowest set bit."""
    return (bits & -bits).bit_length() - 1


def highest_of(lanes: Any) -> Any:
    """Return the highest number in lanes of float64 without NaN."""
    return lanes.max()


def total_of(words: Any) -> Any:
    """Return the sum of lanes of uint64."""
    return words.sum()


def to_floats(words: Any) -> Any:
    """Return lanes of uint64 converted to float64."""
    return words.astype(np.float64)


def as_bits(singles: Any) -> Any:
    """Return the bits of lanes of float32 as int32; for non-negative numbers they have the same order."""
    return singles.view(np.int32)


def fused_or_not(left: Any, right: Any, more: Any) -> Any:
    """Return left * right + more, rounded once or twice, whichever is faster."""
    return left * right + more
