"""Ask a rule for its scores or its choice in a small state, through the hook that the simulation and the trees call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bandits.hooks import ChoiceRule, IndexRule
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


def choices(
    rule: ChoiceRule, pulls: npt.ArrayLike, means: npt.ArrayLike, t: float, params: Sequence[float], draws: int
) -> npt.NDArray[np.int64]:
    """Return the arms, int64[draws], that a choice rule without memory chooses in `draws` replications of one state."""
    n, m = (np.repeat(np.asarray(values, dtype=np.float64), draws) for values in (pulls, means))
    arm = np.full(draws, -1)
    ones, memory = np.ones(n.size), np.zeros((0, draws))
    rng = streams(0, (7,), 0, draws)
    rule.compiled(n, m, n**-0.5, 0.0 * ones, ones, float(t), 1.0, np.array(params), rng, memory, arm)
    return arm
