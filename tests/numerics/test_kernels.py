"""What kernels are written with: arrays, addresses, lanes, words, and the logarithm and exponential."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

from connect4 import Board
from numerics.kernels import elementary
from numerics.kernels.addresses import address_of, hook_at
from numerics.kernels.arrays import empty, same_bits, zeros
from numerics.kernels.words import (
    as_int,
    bitboards_of,
    bitboards_to_words,
    count_bits,
    one_of,
    size_of,
)
from tests.internals import (
    COMPILED,
    LANES,
    SHORT_LANES,
    array_at,
    as_bits,
    bits_of,
    first_bit,
    fused_or_not,
    kernel,
    lanes_at,
    lanes_of,
    pointer,
    put_lanes,
    select_lanes,
    to_floats,
    wide_form,
)

pytestmark = pytest.mark.kernels
_MEMORY = Path("/proc/self/statm")


@kernel("float64[:, ::1](int64, int64)")
def _table(rows, columns):
    table, row = zeros((rows, columns)), zeros(columns, np.int64)
    for i in range(columns):
        row[i] = i
    for r in range(rows):
        for i in range(columns):
            table[r, i] = 10.0 * r + row[i]
    return table


@kernel("float64[::1](int64)")
def _made_three_times(size):
    first, second = empty(size), zeros(size)
    for i in range(size):
        first[i] = i
    return same_bits(same_bits(first, np.uint64), np.float64) if size > 0 else second


@kernel("UniTuple(int64, 5)(int64)")
def _addresses(size):
    return (
        zeros(size).ctypes.data,
        empty(size, np.float32).ctypes.data,
        zeros((size, 3), np.int32).ctypes.data,
        zeros(size, np.bool_).ctypes.data,
        empty((size, 2)).ctypes.data,
    )


@kernel("float64(float64[:, ::1])")
def _sum_by_pointer(table):
    start = pointer(table, table.shape[1])  # of the second row
    row, rest = array_at(start, table.shape[1]), array_at(start, (table.shape[0] - 1, table.shape[1]))
    total = 0.0
    for i in range(row.size):
        total += row[i] + 100.0 * rest[0, i]
    return total + table[0, 0]


@kernel("float64(int64[::1], int32[::1], float64)")
def _halves(words, halves, x):
    seen = same_bits(words, np.int32)
    for i in range(seen.size):
        halves[i] = seen[i]
    bits = same_bits(x, np.int64)
    return same_bits(np.int64(bits ^ (np.int64(1) << 63)), np.float64) * same_bits(halves, np.int64).size


def test_arrays_have_their_shape_and_numbers():
    np.testing.assert_array_equal(_table(2, 3), [[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]])
    assert _table(0, 3).shape == (0, 3)
    np.testing.assert_array_equal(_made_three_times(4), [0.0, 1.0, 2.0, 3.0])
    assert _made_three_times(0).size == 0


def test_the_bits_of_a_number_and_of_an_array_are_read_anew():
    words, halves = np.array([1, -1, 2**40 + 7], np.int64), np.zeros(6, np.int32)
    assert _halves(words, halves, 2.5) == 3 * -2.5
    np.testing.assert_array_equal(halves, words.view(np.int32))


def test_a_pointer_gives_the_arrays_that_begin_there():
    assert _sum_by_pointer(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])) == 708.0


@pytest.mark.skipif(not COMPILED, reason="NumPy places its arrays as it likes")
def test_compiled_arrays_begin_on_a_cache_line():
    for size in (1, 7, 1_000, 100_003):
        assert [address % 64 for address in _addresses(size)] == [0] * 5


@pytest.mark.skipif(not COMPILED or not _MEMORY.exists(), reason="compiled, on Linux, which tells what a process holds")
def test_arrays_are_freed_when_nothing_holds_them_and_not_before():
    held = _made_three_times(1_000)
    pages = []
    for count in (1, 40):
        for _ in range(count):
            _made_three_times(1_000_000)  # two arrays of eight megabytes
        pages.append(int(_MEMORY.read_text(encoding="utf-8").split()[1]))
    assert (pages[1] - pages[0]) * 4_096 < 400e6
    np.testing.assert_array_equal(held, np.arange(1_000.0))


# --- addresses ---


def test_an_address_is_a_number_and_in_plain_python_the_hook_itself():
    play, board = Board().game.play, Board()
    assert isinstance(address_of(play), int) if COMPILED else address_of(play) is play
    assert address_of(play) == address_of(Board().game.play) != address_of(board.game.outcome)


ROOT_AT = hook_at("float64(float64)")


@kernel("float64(float64)")
def root(x):
    if x < 0.0:
        raise ValueError("x must be at least 0")
    return x**0.5


@kernel("float64(int64, float64)")
def through(hook, x):
    return ROOT_AT(hook)(x)


@pytest.mark.jit
def test_an_exception_in_a_hook_reaches_whoever_called_the_kernel():
    assert through(address_of(root), 4.0) == 2.0
    with pytest.raises(ValueError, match="x must"):
        through(address_of(root), -1.0)


# --- lanes: each operation on eight numbers at once is that on each of them ---


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
    return bits_of(left > right), bits_of(left == right)


@kernel()
def _on_words(x, y, out, reals):
    left, right = lanes_at(x, 0), lanes_at(y, 0)
    put_lanes(out, 0, left + right)
    put_lanes(out, LANES, left ^ right)
    put_lanes(out, 2 * LANES, left | right)
    put_lanes(out, 3 * LANES, left << np.uint64(17))
    put_lanes(out, 4 * LANES, left >> np.uint64(11))
    put_lanes(out, 5 * LANES, (left << np.uint64(23)) | (left >> np.uint64(41)))
    put_lanes(reals, 0, to_floats(left >> np.uint64(11)))
    return bits_of(left > right)


@kernel("int64(int64)")
def _lowest(bits):
    return first_bit(bits)


def test_the_first_bit_is_the_lowest_that_is_set():
    assert [_lowest(bits) for bits in (1, 2, 0b101000, 1 << 62, -(1 << 63))] == [0, 1, 3, 62, 63]


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


def mask_of(truths: np.ndarray) -> int:
    """A word whose bit k is the truth in lane k."""
    return sum(1 << k for k, one in enumerate(truths) if one)


def test_floats_in_lanes_are_added_multiplied_compared_and_chosen_as_single_ones_are():
    with np.errstate(all="ignore"):
        for first in range(LANES):  # any place in the array, not only where a cache line begins
            x, y, out = NUMBERS[first : first + LANES].copy(), NUMBERS[LANES:].copy(), np.empty(6 * LANES)
            bits = _on_floats(NUMBERS[first:].copy(), y, out)
            assert bits == (mask_of(x > y), mask_of(x == y))
            expected = [x + y, x * y, np.where(x > y, x, y), np.where(x == y, x, -2.0), x + 0.25]
            expected.append(np.where(x > 1.0, y, x * 2.0))
            np.testing.assert_array_equal(out.view(np.uint64), np.concatenate(expected).view(np.uint64))


def test_words_in_lanes_are_shifted_and_combined_as_single_ones_are():
    x, y, out, reals = WORDS[:LANES].copy(), WORDS[LANES:].copy(), np.empty(6 * LANES, np.uint64), np.empty(LANES)
    assert _on_words(x, y, out, reals) == mask_of(x > y)
    left, right = [int(word) for word in x], [int(word) for word in y]
    pairs = [*zip(left, right, strict=True)]
    expected = [a + b for a, b in pairs] + [a ^ b for a, b in pairs] + [a | b for a, b in pairs]
    expected += [a << 17 for a in left] + [a >> 11 for a in left] + [(a << 23) | (a >> 41) for a in left]
    assert out.tolist() == [word % 2**64 for word in expected]
    assert reals.tolist() == [float(word >> 11) for word in left]


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
    assert larger == mask_of(x > y)


def test_sixteen_whole_numbers_are_one_value_too():
    rng = np.random.default_rng(4)
    x, y = (rng.integers(-(2**24), 2**24, SHORT_LANES).astype(np.int32) for _ in range(2))
    out = np.empty(5 * SHORT_LANES, np.int32)
    larger = _on_shorts(x, y, out)
    expected = [x + y, x - y, x * 64, (x & -16) | 5, np.where(x > y, x, 7)]
    np.testing.assert_array_equal(out, np.concatenate(expected))
    assert larger == mask_of(x > y)


# --- words: bitboards of two words have every operator of Python's whole numbers ---


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
    for _ in range(100):
        x, y = (
            chance.choice(edges) if chance.random() < 0.3 else chance.getrandbits(size) - (1 << (size - 1))
            for _ in range(2)
        )
        y = x if chance.random() < 0.1 else y
        shift, results = chance.randrange(size), np.zeros(12 * size // 64, dtype=np.int64)
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


# --- logarithm and exponential, against libm ---


@kernel("void(float64[::1], float64[::1], float64[::1])")
def both(x, logarithms, exponentials):
    for i in range(x.size):
        logarithms[i] = elementary.ln(x[i])
        exponentials[i] = elementary.exp(-x[i])


def test_logarithm_and_exponential_are_within_two_units_in_the_last_place():
    generator = np.random.default_rng(4)
    x = np.concatenate([10.0 ** generator.uniform(-300, 300, 300), 1.0 + generator.normal(0.0, 1e-4, 300)])
    x = np.concatenate([x, generator.uniform(0.5, 2.0, 300), generator.uniform(1.0, 699.0, 300), np.arange(1.0, 100.0)])
    x = np.append(x, [1.0, 0.5, 2.0, 2.0**-1022, 1e308])
    logarithms, exponentials = np.empty_like(x), np.empty_like(x)
    both(x, logarithms, exponentials)
    assert (np.abs(logarithms - np.log(x)) <= 2.0 * np.spacing(np.abs(np.log(x)))).all()
    expected = np.where(x < 700.0, np.exp(-x), 0.0)
    assert (np.abs(exponentials - expected) <= 2.0 * np.spacing(expected)).all()
    assert logarithms[x == 1.0].tolist() == [0.0] * (x == 1.0).sum()
