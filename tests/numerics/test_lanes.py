"""Lanes: each operation on eight numbers at once is that operation on each of them."""

from __future__ import annotations

import math

import numpy as np

from numerics.jit import kernel
from numerics.lanes import LANES, bits_of, first_bit, lanes_at, lanes_of, put_lanes, to_floats, where

NUMBERS = np.array([3.0, -1.5, 0.0, -0.0, 1e300, math.inf, -math.inf, math.nan, 2.0, -1.5, 0.0, 0.0, 1e300, 5, 6, 7])
WORDS = np.array([0, 1, 2**63, 2**64 - 1, 12345, 2**53, 2**53 - 1, 77, *range(8)], dtype=np.uint64)


@kernel()
def _on_floats(x, y, out):
    left, right = lanes_at(x, 0), lanes_at(y, 0)
    put_lanes(out, 0, left + right)
    put_lanes(out, LANES, left * right)
    put_lanes(out, 2 * LANES, where(left > right, left, right))
    put_lanes(out, 3 * LANES, where(left == right, left, lanes_of(-2.0)))
    put_lanes(out, 4 * LANES, left + 0.25)
    put_lanes(out, 5 * LANES, where(left > 1.0, right, left * 2.0))


@kernel()
def _on_words(x, y, out):
    left, right = lanes_at(x, 0), lanes_at(y, 0)
    put_lanes(out, 0, left + right)
    put_lanes(out, LANES, left ^ right)
    put_lanes(out, 2 * LANES, left | right)
    put_lanes(out, 3 * LANES, left << np.uint64(17))
    put_lanes(out, 4 * LANES, left >> np.uint64(11))
    put_lanes(out, 5 * LANES, (left << np.uint64(23)) | (left >> np.uint64(41)))


@kernel()
def _reals(x, out):
    put_lanes(out, 0, to_floats(lanes_at(x, 0) >> np.uint64(11)))


@kernel()
def _bits(x, y):
    return bits_of(lanes_at(x, 0) > lanes_at(y, 0)), bits_of(lanes_at(x, 0) == lanes_at(y, 0))


@kernel()
def _lowest(bits):
    return first_bit(bits)


def test_floats_in_lanes_are_added_multiplied_compared_and_chosen_as_single_ones_are():
    with np.errstate(all="ignore"):
        for first in range(LANES):  # any place in the array, not only where a cache line begins
            x, y, out = NUMBERS[first : first + LANES].copy(), NUMBERS[LANES:].copy(), np.empty(6 * LANES)
            _on_floats(NUMBERS[first:].copy(), y, out)
            expected = [x + y, x * y, np.where(x > y, x, y), np.where(x == y, x, -2.0), x + 0.25]
            expected.append(np.where(x > 1.0, y, x * 2.0))
            np.testing.assert_array_equal(out.view(np.uint64), np.concatenate(expected).view(np.uint64))


def test_words_in_lanes_are_shifted_and_combined_as_single_ones_are():
    x, y, out = WORDS[:LANES].copy(), WORDS[LANES:].copy(), np.empty(6 * LANES, np.uint64)
    _on_words(x, y, out)
    expected = []
    for one in (
        lambda a, b: a + b, lambda a, b: a ^ b, lambda a, b: a | b, lambda a, b: a << 17, lambda a, b: a >> 11,
        lambda a, b: (a << 23) | (a >> 41),
    ):  # fmt: skip
        expected += [one(int(a), int(b)) % 2**64 for a, b in zip(x, y, strict=True)]
    assert out.tolist() == expected
    reals = np.empty(LANES)
    _reals(x, reals)
    assert reals.tolist() == [float(int(word) >> 11) for word in x]


def test_bit_k_of_a_comparison_is_lane_k():
    x, y = np.arange(8.0), np.full(8, 3.0)
    assert _bits(x, y) == (0b11110000, 0b00001000)
    assert _bits(y, x) == (0b00000111, 0b00001000)


def test_the_first_bit_is_the_lowest_that_is_set():
    assert [_lowest(bits) for bits in (1, 2, 0b101000, 1 << 62)] == [0, 1, 3, 62]
    assert _lowest(-(1 << 63)) == 63
