"""Bitboards of two words: every operator as on Python's whole numbers, and one source for both sizes."""

from __future__ import annotations

import random

import numpy as np
import pytest

from numerics.kernels.words import (
    PlainWide,
    as_int,
    bitboards_of,
    bitboards_to_words,
    count_bits,
    one_of,
    size_of,
)
from tests.internals import kernel, wide_form

pytestmark = pytest.mark.kernels


@kernel("int64(int64[::1], int64, int64[::1])")
def operate(state, shift, results):
    """Write what every operator gives for the bitboards 0 and 1."""
    bits, out = bitboards_of(state), bitboards_of(results)
    x, y = bits[0], bits[1]
    out[0], out[1], out[2], out[3], out[4] = x + y, x - y, x & y, x | y, x ^ y
    out[5], out[6], out[7], out[8] = x << shift, x >> shift, -x, ~x
    z = x & 0
    z += y
    z ^= x
    z |= one_of(x)
    z -= 1
    z &= x | y
    z <<= 1
    out[9] = z
    zero = 0
    if x == y:
        zero += 1
    if x != y:
        zero += 2
    if x < y:
        zero += 4
    if x > y:
        zero += 8
    if x:
        zero += 16
    if not y:
        zero += 32
    out[10] = zero
    out[11] = as_int(x & 255) + count_bits(x) * 1000 + size_of(x)
    return count_bits(y)


def expected(x: int, y: int, shift: int, size: int) -> list[int]:
    """The same by Python's numbers."""

    def wrap(value: int) -> int:
        value &= (1 << size) - 1
        return value - (value >> (size - 1) << size)

    mask = (1 << size) - 1
    z = wrap(wrap((wrap(wrap(y) ^ x) | 1) - 1) & (x | y)) << 1
    truths = (x == y) + 2 * (x != y) + 4 * (x < y) + 8 * (x > y) + 16 * (x != 0) + 32 * (y == 0)
    values = [x + y, x - y, x & y, x | y, x ^ y, x << shift, x >> shift, -x, ~x, z, truths]
    return [*map(wrap, values), (x & 255) + (x & mask).bit_count() * 1000 + size]


@pytest.mark.parametrize("size", [64, 128])
def test_operators_are_those_of_whole_numbers_that_wrap_around(size: int):
    chance, hook = random.Random(1), operate if size == 64 else wide_form(operate)
    edges = [0, 1, -1, (1 << (size - 1)) - 1, -(1 << (size - 1)), (1 << 63) - 1, -(1 << 63)]
    for _ in range(300):
        x, y = (
            chance.choice(edges) if chance.random() < 0.3 else chance.getrandbits(size) - (1 << (size - 1))
            for _ in range(2)
        )
        if chance.random() < 0.1:
            y = x
        shift = chance.randrange(size)
        results = np.zeros(12 * size // 64, dtype=np.int64)
        counted = hook(bitboards_to_words([x, y], wide=size == 128), shift, results)
        assert counted == (y & ((1 << size) - 1)).bit_count()
        np.testing.assert_array_equal(results, bitboards_to_words(expected(x, y, shift, size), wide=size == 128))


@kernel("void(int64[:, ::1], int64[::1])")
def swap(table, row):
    """Exchange the bitboards 0 and 1 of row 1 of a table, and copy one to `row`."""
    bits, out = bitboards_of(table), bitboards_of(row)
    kept = bits[1]
    bits[1, 0], bits[1, 1] = bits[1, 1], bits[1, 0]
    out[0] = kept[0]


@pytest.mark.parametrize("wide", [False, True])
def test_a_table_has_bitboards_along_its_last_axis(wide: bool):
    values = [[1, 2], [(1 << 70) + 3 if wide else 3, -4]]
    table = np.stack([bitboards_to_words(row, wide=wide) for row in values])
    row = np.zeros(1 + wide, dtype=np.int64)
    (wide_form(swap) if wide else swap)(table, row)
    np.testing.assert_array_equal(table[1], bitboards_to_words([-4, values[1][0]], wide=wide))
    np.testing.assert_array_equal(row, bitboards_to_words([-4], wide=wide))


def test_a_plain_bitboard_wraps_around():
    assert (PlainWide(1) << 127, PlainWide(-1) + 1, int(~PlainWide(0))) == (-(1 << 127), 0, -1)
