"""64 bytes of numbers side by side, as one value of a kernel: what a processor's vector registers hold.

A compiler turns a loop over an array into vector instructions, but what such a loop carries from one row of a table to
the next it writes to memory and reads back. Lanes stay in registers:

    high = lanes_at(scores, r)                                  # scores[r : r + 8]
    for a in range(1, arms):
        score = lanes_at(scores, a * size + r)
        high = where(score > high, score, high)
    put_lanes(top, r, high)

They are eight numbers of float64 or uint64, or sixteen of float32 or int32. Those of floats know `+ * > ==`, of uint64
`+ ^ | << >>`, of int32 `+ - & | >`, between lanes and with a number on the right; so one function can serve lanes and
single numbers. In plain Python lanes are NumPy arrays; `numerics.kernels.numba_extensions` compiles them.

Nothing checks that as many entries are there: the caller does the rest of an array one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

LANES = 8
SHORT_LANES = 16  # of numbers that take 32 bits


def lanes_at(array: Any, index: int) -> Any:
    """Return the lanes that begin at entry `index` of an array."""
    return array[index : index + 64 // array.itemsize].copy()


def put_lanes(array: Any, index: int, lanes: Any) -> None:
    """Write lanes to an array, from entry `index` on."""
    array[index : index + lanes.size] = lanes


def lanes_of(number: Any) -> Any:
    """Return lanes of one number: eight times, or of float32 and int32 sixteen times."""
    return np.full(64 // np.asarray(number).itemsize, number)


def where(truth: Any, yes: Any, no: Any) -> Any:
    """Return in each lane what is in `yes` if `truth` holds there, else what is in `no`."""
    return np.where(truth, yes, no)


def bits_of(truth: Any) -> int:
    """Return a number whose bit k tells whether lane k of a comparison holds."""
    return int.from_bytes(np.packbits(truth, bitorder="little").tobytes(), "little")


def first_bit(bits: int) -> int:
    """Return the place of the lowest bit that is set."""
    return (bits & -bits).bit_length() - 1


def highest_of(lanes: Any) -> Any:
    """Return the highest number of lanes of float64, none of which is NaN."""
    return lanes.max()


def total_of(words: Any) -> Any:
    """Return the sum of lanes of uint64."""
    return words.sum()


def to_floats(words: Any) -> Any:
    """Return the numbers that lanes of uint64 hold, as float64."""
    return words.astype(np.float64)


def as_bits(singles: Any) -> Any:
    """Return the bits of lanes of float32 as int32; those of numbers that are not negative are ordered as they are."""
    return singles.view(np.int32)


def about(left: Any, right: Any, more: Any) -> Any:
    """Return left * right + more, rounded once or twice: as is fastest."""
    return left * right + more
