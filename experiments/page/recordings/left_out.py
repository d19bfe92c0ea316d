"""The index of an arm that a rule skipped because it could not win: computed so that a recording can show it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bandits import Policy
from experiments.page.recordings.rules import kind_of_index
from numerics.random import Purpose, streams

Floats = npt.NDArray[np.float64]


def with_left_out(policy: Policy, scores: Floats, pulls: Floats, means: Floats, horizon: int) -> Floats:
    """Return scores without -inf where a rule adds a bonus: compute a skipped index from K copies of its arm.

    Other rules draw, or compare an arm with the others: scores that they skip stay -inf.

    Parameters
    ----------
    policy : Policy
    scores : float64[T, K]
        By which each step chose.
    pulls, means : float64[T, K]
        What the rule was given.
    horizon : int
        T.

    Examples
    --------
    >>> from bandits import make
    >>> pulls, means = np.array([[9.0, 9.0]]), np.array([[0.1, 0.9]])
    >>> with_left_out(make("kl_ucb"), np.array([[-np.inf, 0.98]]), pulls, means, 100).round(2).tolist()
    [[0.47, 0.98]]
    """
    left, rule = np.isneginf(scores), policy.spec().rule
    if not left.any() or kind_of_index(policy) != "bonus" or "variances" in rule.needs:
        return scores
    hook: Any = rule.compiled
    params, filled = np.array(policy.spec().params, dtype=np.float64), scores.copy()
    arms = scores.shape[1]
    for step in np.flatnonzero(left.any(axis=1)):
        rows = np.flatnonzero(left[step])  # entry i of a vector is arm i // L of replication i % L: one for each
        n, m, out = np.tile(pulls[step, rows], arms), np.tile(means[step, rows], arms), np.empty(arms * rows.size)
        with np.errstate(divide="ignore"):  # of an arm without a pull
            widths = 1.0 / np.sqrt(n)
        hook(
            n,
            m,
            widths,
            np.zeros(n.size),
            np.full(n.size, 1.0 / arms),
            pulls[step].sum() + 1.0,
            float(horizon),
            params,
            streams(0, (Purpose.POLICY,), 0, rows.size),
            out,
        )
        filled[step, rows] = out.reshape(arms, rows.size).max(axis=0)
    return filled
