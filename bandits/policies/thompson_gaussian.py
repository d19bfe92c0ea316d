"""Thompson sampling for Gaussian rewards."""

from __future__ import annotations

import math

from bandits.arms.base import LARGEST
from bandits.kernels.indices.highest_chance import GAUSSIAN, write_scaled_chances
from bandits.kernels.indices.highest_draw import write_highest
from bandits.policies.base import Policy
from bandits.rules import propensity_hook, vector_rule
from numerics.parameters import parameter


class ThompsonGaussian(Policy, name="thompson_gaussian"):
    """The arm that is best in a draw from the posterior of Gaussian rewards of known variance, under a flat prior."""

    scale: float = parameter(1.0, low=0.0, above=True, most=LARGEST, help="Standard deviation of the rewards, above 0.")
    source = "Korda, Kaufmann and Munos 2013, Thompson sampling under Jeffreys' prior, Gaussian rewards"
    locks = False
    other_rewards = "the same formula; proved for Gaussian rewards with this standard deviation"

    @property
    def formula(self) -> str:
        return f"argmax theta, theta ~ N(m, {self.scale:g}^2 / n)"


@vector_rule
def thompson_gaussian(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """A draw from each arm's posterior N(m, scale^2 / n), where it can be the highest. params = [scale].

    Korda, Kaufmann and Munos, Thompson sampling for one-dimensional exponential family bandits, NeurIPS 2013:
    Jeffreys' prior of a Gaussian mean is flat. An arm that cannot win gets -inf; see
    `bandits.kernels.indices.highest_draw`.
    """
    write_highest(means, widths, params[0], False, rng, out)


@vector_rule
def thompson_gaussian_chances(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """Write the probability that each of two arms has the larger draw; NaN for more arms. params = [scale]."""
    size = rng.shape[0]
    if out.size != 2 * size:
        out[:] = math.nan
        return
    for r in range(size):
        spread = params[0] * math.sqrt(2.0 * (widths[r] * widths[r] + widths[size + r] * widths[size + r]))
        out[r] = 0.5 * math.erfc((means[size + r] - means[r]) / spread)
        out[size + r] = 1.0 - out[r]


@propensity_hook
def thompson_gaussian_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write the probability that each arm has the highest draw. params = [scale]."""
    write_scaled_chances(GAUSSIAN, means, widths, params[0], out)
