"""Lanes: each operation on eight numbers at once is that operation on each of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.internals import (
    LANES,
    SHORT_LANES,
    as_bits,
    bits_of,
    first_bit,
    fused_or_not,
    kernel,
    lanes_at,
    lanes_of,
    put_lanes,
    select_lanes,
    to_floats,
)

pytestmark = pytest.mark.kernels

NUMBERS = np.array([3.0, -1.5, 0.0, -0.0, 1e300, math.inf, -math.inf, math.nan, 2.0, -1.5, 0.0, 0.0, 1e300, 5, 6, 7])
WORDS = np.array([0, 1, 2**63, 2**64 - 1, 12345, 2**53, 2**53 - 1, 77, *range(8)], dtype=np.uint64)


@kernel()
def _on_floats(x, y, out):
    left, right = lanes_at(x, 0), lanes_at(y, 0)
    put_lanes(out, 0, left + right)
    put_lanes(out, LANES, left * right)
    put_lanes(out, 2 * LANES, select_lanes(left > right, left, right))
    put_lanes(out, 3 * LANES, select_lanes(left == right, left, lanes_of(-2.0)))
    put_lanes(out, 4 * LANES, left + 0.25)
    put_lanes(out, 5 * LANES, select_lanes(left > 1.0, right, left * 2.0))


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
def _on_singles(x, y, out, bits):
    left, right = lanes_at(x, 0), lanes_at(y, 0)
    put_lanes(out, 0, left + right)
    put_lanes(out, SHORT_LANES, left * lanes_of(np.float32(0.1)))
    put_lanes(out, 2 * SHORT_LANES, select_lanes(left > right, left, right))
    put_lanes(out, 3 * SHORT_LANES, fused_or_not(left, right, left))
    put_lanes(bits, 0, as_bits(left))
    return bits_of(left > right)


@kernel()
def _on_shorts(x, y, out):
    left, right = lanes_at(x, 0), lanes_at(y, 0)
    put_lanes(out, 0, left + right)
    put_lanes(out, SHORT_LANES, left - right)
    put_lanes(out, 2 * SHORT_LANES, left * np.int32(64))
    put_lanes(out, 3 * SHORT_LANES, (left & np.int32(-16)) | np.int32(5))
    put_lanes(out, 4 * SHORT_LANES, select_lanes(left > right, left, lanes_of(np.int32(7))))
    return bits_of(left > right)


@kernel()
def _more(x, y):
    return bits_of(lanes_at(x, 0) > lanes_at(y, 0))


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
        lambda a, b: a + b,
        lambda a, b: a ^ b,
        lambda a, b: a | b,
        lambda a, b: a << 17,
        lambda a, b: a >> 11,
        lambda a, b: (a << 23) | (a >> 41),
    ):
        expected += [one(int(a), int(b)) % 2**64 for a, b in zip(x, y, strict=True)]
    assert out.tolist() == expected
    reals = np.empty(LANES)
    _reals(x, reals)
    assert reals.tolist() == [float(int(word) >> 11) for word in x]


def test_sixteen_short_numbers_are_one_value_too():
    rng = np.random.default_rng(3)
    x, y = (rng.normal(size=SHORT_LANES).astype(np.float32) for _ in range(2))
    out, bits = np.empty(4 * SHORT_LANES, np.float32), np.empty(SHORT_LANES, np.int32)
    larger = _on_singles(x, y, out, bits)
    np.testing.assert_array_equal(
        out[: 3 * SHORT_LANES], np.concatenate([x + y, x * np.float32(0.1), np.maximum(x, y)])
    )
    exact = x.astype(np.float64) * y + x  # rounded once or twice: off by half a unit of the product and of the sum
    np.testing.assert_allclose(
        out[3 * SHORT_LANES :], exact, rtol=0, atol=2.0**-24 * (np.abs(x * y) + np.abs(exact)).max()
    )
    np.testing.assert_array_equal(bits, x.view(np.int32))
    assert larger == sum(1 << k for k in range(SHORT_LANES) if x[k] > y[k])


def test_sixteen_whole_numbers_are_one_value_too():
    rng = np.random.default_rng(4)
    x, y = (rng.integers(-(2**24), 2**24, SHORT_LANES).astype(np.int32) for _ in range(2))
    out = np.empty(5 * SHORT_LANES, np.int32)
    larger = _on_shorts(x, y, out)
    expected = [x + y, x - y, x * 64, (x & -16) | 5, np.where(x > y, x, 7)]
    np.testing.assert_array_equal(out, np.concatenate(expected))
    assert larger == sum(1 << k for k in range(SHORT_LANES) if x[k] > y[k])


def test_words_are_compared_as_numbers_without_a_sign():
    assert _more(WORDS[:LANES].copy(), np.full(LANES, 2**53, np.uint64)) == 0b00001100


def test_bit_k_of_a_comparison_is_lane_k():
    x, y = np.arange(8.0), np.full(8, 3.0)
    assert _bits(x, y) == (0b11110000, 0b00001000)
    assert _bits(y, x) == (0b00000111, 0b00001000)


def test_the_first_bit_is_the_lowest_that_is_set():
    assert [_lowest(bits) for bits in (1, 2, 0b101000, 1 << 62)] == [0, 1, 3, 62]
    assert _lowest(-(1 << 63)) == 63
