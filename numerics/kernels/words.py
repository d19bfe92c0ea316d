"""Bitboards of one or two words: one source of a kernel serves sets of up to 64 bits and sets of up to 128.

A kernel that takes bitboards in an array of int64 begins with `bitboards = bitboards_of(array)`. As written it reads
one int64 for each bitboard. `wide_form` of `numerics.kernels.jit` gives the same kernel for bitboards of 128 bits. Each
takes two neighbouring words of the array, the lower one first:

    @kernel("int64(int64[::1])")
    def count_common(state):
        bitboards = bitboards_of(state)
        return count_bits(bitboards[0] & bitboards[1])

    count_common(state)             # bitboards of 64 bits
    wide_form(count_common)(state)  # bitboards of 128 bits

Bitboards support `+ - & | ^ << >> == != < >`, unary `- ~`, and use as a condition, with each other and with whole
numbers. They are signed. In compiled code a wide one is an i128 of LLVM; in plain Python it is a `PlainWide`.
`numerics.kernels.numba_extensions` compiles all functions here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

WORD_BITS, WIDE_BITS = 64, 128
_MASK = (1 << WORD_BITS) - 1


class PlainWide(int):
    """A whole number of 128 bits, signed, whose operations wrap around as those of a processor."""

    def __new__(cls, value: Any) -> PlainWide:
        """Keep the lowest 128 bits of a whole number."""
        kept = int(value) & ((1 << WIDE_BITS) - 1)
        return super().__new__(cls, kept - (kept >> (WIDE_BITS - 1) << WIDE_BITS))


def _wrapped(name: str) -> Any:
    operation = getattr(int, name)

    def operate(*operands: Any) -> PlainWide:
        return PlainWide(operation(*map(int, operands)))

    return operate


for _name in ("add", "sub", "and", "or", "xor", "lshift", "rshift"):
    for _method in (f"__{_name}__", f"__r{_name}__"):
        setattr(PlainWide, _method, _wrapped(_method))
for _method in ("__neg__", "__invert__"):
    setattr(PlainWide, _method, _wrapped(_method))


class _PlainWides:
    """An array of int64 as bitboards of two words each along its last axis."""

    def __init__(self, array: Any):
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, index: Any) -> Any:
        if self._array.ndim > np.size(index):
            return _PlainWides(self._array[index])
        low, high = (int(self._array[place]) for place in self._places(index))
        return PlainWide(high << WORD_BITS | low & _MASK)

    def __setitem__(self, index: Any, value: Any) -> None:
        words = np.array([int(value) & _MASK, int(value) >> WORD_BITS & _MASK], dtype=np.uint64).view(np.int64)
        for place, word in zip(self._places(index), words, strict=True):
            self._array[place] = word

    def _places(self, index: Any) -> list[Any]:
        *rows, last = index if isinstance(index, tuple) else (index,)
        return [(*rows, 2 * last), (*rows, 2 * last + 1)]


def bitboards_of(array: Any) -> Any:
    """Return an array of int64 as bitboards of one word."""
    return array


def wide_bitboards_of(array: Any) -> Any:
    """Return an array of int64, C-contiguous, as bitboards of two words, for use inside a kernel."""
    return _PlainWides(array)


def one_of(bits: Any) -> Any:
    """Return the number 1 as a bitboard of the same size as another."""
    return PlainWide(1) if isinstance(bits, PlainWide) else np.int64(1)


def as_int(bits: Any) -> Any:
    """Return the lowest 64 bits of a bitboard as an int64."""
    return bitboards_to_words([bits], wide=True)[0] if isinstance(bits, PlainWide) else np.int64(bits)


def upper_word(bits: Any) -> Any:
    """Return the upper 64 of 128 bits as an int64; 0 for a bitboard of one word."""
    return bitboards_to_words([bits], wide=True)[1] if isinstance(bits, PlainWide) else np.int64(0)


def size_of(bits: Any) -> int:
    """Return how many bits a bitboard has: 64 or 128."""
    return WIDE_BITS if isinstance(bits, PlainWide) else WORD_BITS


def count_bits(bits: Any) -> int:
    """Return the number of set bits of a bitboard.

    Examples
    --------
    >>> count_bits(PlainWide(-1)), count_bits(np.int64(-1)), count_bits(np.int64(6))
    (128, 64, 2)
    """
    return (int(bits) & ((1 << size_of(bits)) - 1)).bit_count()


def bitboards_to_words(values: Any, *, wide: bool) -> Any:
    """Return whole numbers as an array of int64: one word each, or two, the lower one first.

    Examples
    --------
    >>> bitboards_to_words([5, 1 << 64], wide=True).tolist()
    [5, 0, 0, 1]
    """
    if not wide:
        return np.array([int(value) for value in values], dtype=np.int64)
    size = WIDE_BITS // 8
    return np.frombuffer(b"".join(int(value).to_bytes(size, "little", signed=True) for value in values), "<i8").copy()
