"""Arrays that kernels make: in every lane those of NumPy, freed once, and on a cache line where they are compiled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from numerics.kernels.arrays import empty, same_bits, zeros
from tests.internals import COMPILED, array_at, kernel, pointer

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


@kernel("int64(int64[::1], int32[::1])")
def _halves(words, halves):
    seen = same_bits(words, np.int32)
    for i in range(seen.size):
        halves[i] = seen[i]
    return same_bits(halves, np.int64).size


@kernel("float64(float64)")
def _there_and_back(x):
    bits = same_bits(x, np.int64)
    return same_bits(np.int64(bits ^ (np.int64(1) << 63)), np.float64)


def test_arrays_have_their_shape_and_numbers():
    np.testing.assert_array_equal(_table(2, 3), [[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]])
    assert _table(0, 3).shape == (0, 3)
    np.testing.assert_array_equal(_made_three_times(4), [0.0, 1.0, 2.0, 3.0])
    assert _made_three_times(0).size == 0


def test_the_bits_of_a_number_and_of_an_array_are_read_anew():
    words, halves = np.array([1, -1, 2**40 + 7], np.int64), np.zeros(6, np.int32)
    assert _halves(words, halves) == 3
    np.testing.assert_array_equal(halves, words.view(np.int32))
    assert _there_and_back(2.5) == -2.5


def test_a_pointer_gives_the_arrays_that_begin_there():
    assert _sum_by_pointer(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])) == 708.0


@pytest.mark.skipif(not COMPILED, reason="NumPy places its arrays as it likes")
@pytest.mark.parametrize("size", [1, 7, 1_000, 100_003])
def test_compiled_arrays_begin_on_a_cache_line(size: int):
    assert [address % 64 for address in _addresses(size)] == [0] * 5


@pytest.mark.skipif(not COMPILED or not _MEMORY.exists(), reason="compiled, on Linux, which tells what a process holds")
def test_arrays_are_freed_when_nothing_holds_them_and_not_before():
    held = [_made_three_times(1_000) for _ in range(3)]
    before = _pages()
    for _ in range(200):
        _made_three_times(1_000_000)  # two arrays of eight megabytes
    assert (_pages() - before) * 4_096 < 400e6
    for array in held:
        np.testing.assert_array_equal(array, np.arange(1_000.0))


def _pages() -> int:
    return int(_MEMORY.read_text(encoding="utf-8").split()[1])
