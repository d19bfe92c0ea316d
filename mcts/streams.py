"""The random streams of a search: for its policy, for the order in which moves are first tried, for its playouts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from numerics import checks
from numerics.kernels.jit import kernel
from numerics.random import Purpose, next_word, streams

RULE, ORDER, PLAYOUT, STREAMS = range(4)  # rows of the state array, and their number
_32 = np.uint64(32)


def streams_of(seed: int, purpose: Purpose) -> npt.NDArray[np.uint64]:
    """Return the streams of a search, uint64[STREAMS, 4].

    Raises
    ------
    ValueError
        A seed that is not a whole number of at least 0.
    """
    return streams(checks.check_whole("seed", seed, 0), (purpose,), 0, STREAMS)


@kernel()
def shuffle(moves: npt.NDArray[np.int64], count: int, rng: npt.NDArray[np.uint64]) -> None:
    """Put the first `count` entries of `moves` in random order (Fisher and Yates; Durstenfeld, CACM 7 (1964))."""
    for j in range(count - 1, 0, -1):
        i = np.int64(((next_word(rng, ORDER) >> _32) * np.uint64(j + 1)) >> _32)
        moves[i], moves[j] = moves[j], moves[i]


def checked_streams(rng: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the streams that a caller gives, or raise ValueError: the kernel does not look at their type or shape."""
    if rng.dtype != np.uint64 or rng.shape != (STREAMS, 4) or not rng.flags.c_contiguous:
        raise ValueError(f"rng must be a contiguous uint64[{STREAMS}, 4]; got {rng.dtype}{list(rng.shape)}")
    return rng
