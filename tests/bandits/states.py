"""Ask a rule for its scores in a small state, through the hook that the simulation and the trees call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bandits.hooks import IndexRule
from numerics.random import streams


def scores(
    rule: IndexRule,
    pulls: npt.ArrayLike,
    means: npt.ArrayLike,
    t: float,
    params: Sequence[float] = (),
    *,
    horizon: float = 1.0,
    variances: npt.ArrayLike = 0.0,
    seed: int = 0,
) -> npt.NDArray[np.float64]:
    """Return the scores, shaped as `pulls`: [K] for one replication, [K, L] for L of them."""
    n = np.asarray(pulls, dtype=np.float64)
    replications = n.reshape(len(n), -1).shape[1]
    with np.errstate(divide="ignore"):
        widths = 1.0 / np.sqrt(n)
    inputs = (n, means, widths, variances, 1.0 / len(n))
    flat = [np.broadcast_to(np.asarray(values, dtype=np.float64), n.shape).ravel().copy() for values in inputs]
    out = np.full(n.size, np.nan)
    rng = streams(seed, (7,), 0, replications)
    rule.compiled(*flat, float(t), float(horizon), np.array(params, dtype=np.float64), rng, out)
    return out.reshape(n.shape)
