"""The random streams of a search: one for its rule, one for the order of moves, one for its playouts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from numerics import checks

RULE, ORDER, PLAYOUT, STREAMS = range(4)  # rows of the state array, and how many there are
FLAT, TREE = 111, 110  # purposes of the streams


def streams_of(seed: int, purpose: int) -> npt.NDArray[np.uint64]:
    """Return the streams of one search, uint64[STREAMS, 4].

    Raises
    ------
    ValueError
        A seed that is no whole number of at least 0.
    """
    from numerics.random import streams

    return streams(checks.whole("seed", seed, 0), (purpose,), 0, STREAMS)
