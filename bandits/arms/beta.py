"""Arms that pay Beta rewards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bandits.arms.base import FixedArms, Floats, means_between
from bandits.divergences import by_quantile
from bandits.rules import reward_law
from numerics.kernels.arrays import empty
from numerics.kernels.pointers import at
from numerics.parameters import parameter
from numerics.random import GOLDEN, finalised, next_beta


def _divergence(p: Floats, q: Floats, params: Floats) -> Floats:
    """Return the divergence of Beta(s p, s (1 - p)) from Beta(s q, s (1 - q)), with s the concentration."""
    from scipy.special import betaln, digamma

    scale = params[:, 0]
    a, b, c, d = scale * p, scale * (1.0 - p), scale * q, scale * (1.0 - q)
    with np.errstate(invalid="ignore", over="ignore"):
        divergence: Floats = betaln(c, d) - betaln(a, b) + (a - c) * digamma(a) + (b - d) * digamma(b)
    return divergence


def _distribution(mean: float, params: Floats) -> tuple[Floats, Floats]:
    from scipy.special import betainccinv, betaincinv

    if mean in (0.0, 1.0):
        return np.array([mean]), np.array([1.0])
    a, b = params[0] * mean, params[0] * (1.0 - mean)
    return by_quantile(lambda u, rest: np.where(u < rest, betaincinv(a, b, u), betainccinv(a, b, rest)))


@reward_law(unit=True, divergence=_divergence, distribution=_distribution)
def beta(uniform, mean, arm, params, reward):
    """Beta(c mean, c (1 - mean)), c = params[a, 0], drawn from a stream seeded by the bits of the uniform.

    The quantile would cost a hundred times as much. So equal uniforms and means give equal rewards, as for other laws,
    but rewards do not increase with the uniform. Means of 0 and 1 always pay 0 and 1.
    """
    rng = empty((1, 4), np.uint64)
    for r in range(reward.size):
        bits = np.uint64(uniform[r] * 9007199254740992.0)
        for word in range(4):
            rng[0, word] = finalised(bits * np.uint64(4) + np.uint64(word + 1) * GOLDEN)
        m, c = mean[r], params[at(arm[r]), 0]
        reward[r] = m if m <= 0.0 or m >= 1.0 else next_beta(c * m, c * (1.0 - m), rng, 0)


class Beta(FixedArms, name="beta"):
    """Arms that pay a Beta reward of mean `means[a]`: Beta(c m, c (1 - m)), c the concentration.

    Parameters
    ----------
    means : sequence of float
        K >= 2 numbers in [0, 1].
    concentration : float, default 10
        From 1e-3 to 1e6; the variance is m (1 - m) / (c + 1), from nearly Bernoulli to nearly noiseless.

    Examples
    --------
    >>> Beta([0.4, 0.6]).describe()
    '2 Beta arms, means 0.4, 0.6, concentration 10'
    """

    kind = "Beta"
    reward_law = beta
    means: Sequence[float] = parameter(check=means_between(0.0, 1.0), help="K >= 2 numbers in [0, 1]")
    concentration: float = parameter(
        10.0, low=1e-3, high=1e6, help="c of Beta(c m, c (1 - m)); the variance is m (1 - m) / (c + 1)"
    )

    @property
    def law_params(self) -> Floats:
        return self._column(self.concentration)

    @property
    def details(self) -> str:  # type: ignore[override]
        """The law's numbers beside the means."""
        return f", concentration {self.concentration:g}"
