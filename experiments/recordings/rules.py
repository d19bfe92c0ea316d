"""The description of a policy in a recording: name, formula, kind of index, and the indices that it skipped."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bandits import Policy
from bandits.hooks import IndexRule
from bandits.policies.base import POLICIES
from numerics.random import Purpose, streams

Floats = npt.NDArray[np.float64]

COMMAND = "python -m experiments.record"  # which makes the same recording again
_STREAMS = 32  # so many that each of two arms is drawn


def describe_rule(policy: Policy) -> dict[str, str]:
    """Return name, label (the name and the parameters that are not the defaults), formula and kind of index.

    Examples
    --------
    >>> from bandits import UCB
    >>> describe_rule(UCB(c=1.0))
    {'name': 'ucb', 'label': 'ucb c=1', 'formula': 'm + 1 sqrt(ln t / n)', 'index': 'bonus'}
    """
    label = POLICIES.text(policy)
    return {"name": policy.name, "label": label, "formula": policy.formula, "index": kind_of_index(policy)}


def kind_of_index(policy: Policy) -> str:
    """Return the kind of a policy's index: "bonus" is the mean plus a bonus, "sample" is drawn; "other"; "none".

    The rule is asked about two arms with some random streams. A rule that draws the arm itself and scores only that one
    is "other". A policy without an index is "none", or "forgets" if it does not use the mean of all rewards.

    Examples
    --------
    >>> from bandits import make
    >>> [kind_of_index(make(name)) for name in ("thompson", "kl_ucb", "imed", "maillard", "softmax")]
    ['sample', 'bonus', 'other', 'other', 'none']
    """
    spec = policy.spec()
    if not isinstance(spec.rule, IndexRule):
        return "forgets" if policy.forgets else "none"
    pulls, means, scores = np.array([4.0, 9.0]), np.array([0.25, 0.6]), np.empty((_STREAMS, 2))
    drawn = streams(0, (Purpose.POLICY,), 0, _STREAMS)
    for row, out in enumerate(scores):
        spec.rule.compiled(
            pulls,
            means,
            1.0 / np.sqrt(pulls),
            np.full(2, 0.2),
            np.full(2, 0.5),
            14.0,
            100.0,
            spec.numbers(100, 2),
            drawn[row : row + 1],
            out,
        )
    distinct = [np.unique(column[np.isfinite(column)]) for column in scores.T]
    if any(values.size > 1 for values in distinct):
        return "sample"
    above = all((values >= mean).all() for values, mean in zip(distinct, means, strict=True))
    return "bonus" if above and (scores == scores[0]).all() else "other"


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
