"""Arms that pay 0 or 1, with probabilities that are logistic in features."""

from __future__ import annotations

from typing import ClassVar

from bandits.arms.bernoulli import bernoulli
from bandits.arms.contextual.base import ContextualArms
from numerics.parameters import parameter_as


class Logistic(ContextualArms, name="logistic"):
    """Bernoulli arms of mean 1 / (1 + exp(-theta_a . x)): features x are seen before each pull.

    Parameters
    ----------
    arms, features, constant, weights, log
        As of `Linear`.
    norm : float, default 3
        The length of weights that are drawn, above 0: means then lie between 0.05 and 0.95.

    Raises
    ------
    ValueError
        As of `Linear`.

    Examples
    --------
    >>> arms = Logistic(weights=[[0.0, 1.0], [0.0, -1.0]])
    >>> means = arms.with_features(seed=0, first=0, runs=1, horizon=100)[1]
    >>> bool((abs(means.sum(axis=2) - 1.0) < 1e-12).all())
    True
    """

    kind = "Bernoulli"
    reward_law = bernoulli
    logistic: ClassVar[bool] = True
    norm: float = parameter_as(ContextualArms, "norm", default=3.0)
