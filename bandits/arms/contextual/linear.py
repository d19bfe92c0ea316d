"""Arms whose means are linear in features."""

from __future__ import annotations

import numpy as np

from bandits.arms.base import LARGEST, Floats
from bandits.arms.contextual.base import ContextualArms
from bandits.arms.gaussian import gaussian
from numerics.parameters import parameter

_SCALE = 0.5


class Linear(ContextualArms, name="linear"):
    """Gaussian arms of mean theta_a . x: features x are seen before each pull, and each arm has weights of its own.

    Parameters
    ----------
    arms, features : int, optional
        K >= 2 and d >= 1; those of `weights` when left out, else 10 and 5.
    constant : bool, default True
        Whether the first feature is the same at every step, so that arms differ without a look at the others too.
    weights : sequence of sequence of float, optional
        theta, a row for each arm. Left out, each arm's weights are drawn anew in every replication, uniformly from the
        sphere of radius `norm`.
    norm : float, default 1
        The length of weights that are drawn, above 0.
    log : LogFile or str, optional
        A log with `feature_columns`, such as "rows path=log.csv feature_columns=[age,price]", in place of `arms` and
        `features`. The features of each step are then those of a row drawn uniformly with replacement, behind a
        constant 1 if there is one. Unless given, weights are fitted on the log, separately for each arm, by ridge or
        logistic regression with penalty 1.
    scale : float, optional
        The standard deviation of the rewards, above 0; left out, 0.5, or of a log the root of the mean squared
        residual.

    Raises
    ------
    ValueError
        A number out of its range, or weights that do not fit `arms` and `features`.

    Notes
    -----
    Features have length 1. Without a constant, x is uniform on the unit sphere of R^d. With a constant, it is (1, u) /
    sqrt(2), with u uniform on the unit sphere of R^(d - 1). So theta_a . x lies from -norm to norm, as bounds on regret
    ask. The model in which each arm has weights of its own is the disjoint one of Li, Chu, Langford and Schapire 2010,
    section 3.1.

    Examples
    --------
    >>> arms = Linear(weights=[[1.0, 0.0], [0.0, 1.0]], constant=False)
    >>> starts, means, features = arms.with_features(seed=0, first=0, runs=1, horizon=100)
    >>> features.shape, bool((means == features).all())
    ((1, 100, 2), True)
    """

    kind = "Gaussian"
    reward_law = gaussian
    scale: float | None = parameter(
        None,
        low=0.0,
        high=LARGEST,
        above=True,
        help="standard deviation of the rewards; null: 0.5, or that of a log's residuals",
    )

    @property
    def deviation(self) -> float:
        """The standard deviation of the rewards."""
        if self.scale is not None:
            return self.scale
        return _SCALE if self.log is None else self.fitted.residual

    @property
    def law_params(self) -> Floats:
        return np.full((self.count, 1), self.deviation)

    @property
    def law_text(self) -> str:
        return f", standard deviation {self.deviation:.4g}"
