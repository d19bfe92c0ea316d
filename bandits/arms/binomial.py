"""Arms that pay the share of successes among several trials."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bandits.arms.base import FixedArms, Floats, means_between
from bandits.arms.bernoulli import bernoulli_kl
from bandits.rules import reward_law
from numerics.kernels.pointers import at
from numerics.parameters import parameter


def _distribution(mean: float, params: Floats) -> tuple[Floats, Floats]:
    from scipy.special import gammaln, xlog1py, xlogy

    n = params[0]
    k = np.arange(n + 1.0)
    ways = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return k / n, np.exp(ways + xlogy(k, mean) + xlog1py(n - k, -mean))


@reward_law(unit=True, divergence=lambda p, q, params: params[:, 0] * bernoulli_kl(p, q), distribution=_distribution)
def binomial(uniform, mean, arm, params, reward):
    """S / n, S binomial of n = params[a, 0]: the least S whose distribution function exceeds the uniform.

    The search starts at 0 and counts the rarer outcome, so that the first term does not underflow.
    """
    for r in range(reward.size):
        p, u, n = mean[r], uniform[r], int(params[at(arm[r]), 0])
        turned = p > 0.5
        if turned:
            p = 1.0 - p
        k, term = 0, (1.0 - p) ** n
        reached = term
        while reached <= u and k < n:
            term *= (n - k) / (k + 1.0) * p / (1.0 - p)
            k += 1
            reached += term
        reward[r] = (n - k if turned else k) / float(n)


class Binomial(FixedArms, name="binomial"):
    """Arms that pay the share of successes among `trials` trials of probability `means[a]`, as several playouts do.

    Parameters
    ----------
    means : sequence of float
        K >= 2 probabilities in [0, 1].
    trials : int, default 10
        Trials of each pull, from 1 to 1,000.

    Examples
    --------
    >>> Binomial([0.4, 0.6], trials=5).describe()
    '2 binomial arms, means 0.4, 0.6, 5 trials a pull'
    """

    kind = "binomial"
    reward_law = binomial
    means: Sequence[float] = parameter(check=means_between(0.0, 1.0), help="K >= 2 probabilities in [0, 1]")
    trials: int = parameter(10, low=1, high=1_000, help="trials of each pull; the reward is the share of successes")

    @property
    def law_params(self) -> Floats:
        return self._column(self.trials)

    @property
    def details(self) -> str:  # type: ignore[override]
        """The law's numbers beside the means."""
        return f", {self.trials} trials a pull"
