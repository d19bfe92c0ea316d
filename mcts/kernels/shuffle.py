"""The order in which moves are first tried: at random, so that no side of a board comes first."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcts.streams import ORDER
from numerics.kernels.jit import kernel
from numerics.random import next_word

_32 = np.uint64(32)


@kernel()
def shuffle(moves: npt.NDArray[np.int64], count: int, rng: npt.NDArray[np.uint64]) -> None:
    """Put the first `count` entries of `moves` in random order (Fisher and Yates; Durstenfeld, CACM 7 (1964))."""
    for j in range(count - 1, 0, -1):
        i = np.int64(((next_word(rng, ORDER) >> _32) * np.uint64(j + 1)) >> _32)
        moves[i], moves[j] = moves[j], moves[i]
