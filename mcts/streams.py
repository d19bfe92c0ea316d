"""The random streams of a search: for its policy, the order of moves, and its playouts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from numerics import checks
from numerics.random import Purpose, streams

RULE, ORDER, PLAYOUT, STREAMS = range(4)  # rows of the state array, and their number


def streams_of(seed: int, purpose: Purpose) -> npt.NDArray[np.uint64]:
    """Return the streams of a search, uint64[STREAMS, 4].

    Raises
    ------
    ValueError
        A seed that is not a whole number of at least 0.
    """
    return streams(checks.whole("seed", seed, 0), (purpose,), 0, STREAMS)
