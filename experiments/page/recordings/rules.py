"""What a recording tells of a policy: name, formula, and what its index is made of."""

from __future__ import annotations

import numpy as np

from bandits import Policy
from bandits.hooks import IndexRule
from bandits.policies.base import POLICIES
from numerics.random import Purpose, streams

COMMAND = "python -m experiments.record"  # which makes the same recording again
_STREAMS = 32  # so many that each of two arms is drawn


def described(policy: Policy) -> dict[str, str]:
    """Return name, label (the name and the parameters that are not the defaults), formula and kind of index.

    Examples
    --------
    >>> from bandits import UCB
    >>> described(UCB(c=1.0))
    {'name': 'ucb', 'label': 'ucb c=1', 'formula': 'm + 1 sqrt(ln t / n)', 'index': 'bonus'}
    """
    label = POLICIES.text(policy)
    return {"name": policy.name, "label": label, "formula": policy.formula, "index": kind_of_index(policy)}


def kind_of_index(policy: Policy) -> str:
    """Return what an index less its mean is: "bonus", "sample" where the rule draws it, "other", or "none" without one.

    The rule is asked about two arms with some random streams. "other" is also what a rule compares that draws the arm
    itself and scores no other one.

    Examples
    --------
    >>> from bandits import make
    >>> [kind_of_index(make(name)) for name in ("thompson", "kl_ucb", "imed", "maillard", "softmax")]
    ['sample', 'bonus', 'other', 'other', 'none']
    """
    spec = policy.spec()
    if not isinstance(spec.rule, IndexRule):
        return "none"
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
            spec.numbers(100),
            drawn[row : row + 1],
            out,
        )
    told = [np.unique(own[np.isfinite(own)]) for own in scores.T]
    if any(values.size > 1 for values in told):
        return "sample"
    above = all((values >= mean).all() for values, mean in zip(told, means, strict=True))
    return "bonus" if above and (scores == scores[0]).all() else "other"
