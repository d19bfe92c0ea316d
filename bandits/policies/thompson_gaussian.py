"""Thompson sampling for Gaussian rewards."""

from __future__ import annotations

from bandits.arms.base import LARGEST
from bandits.kernels.highest_draw import write_highest
from bandits.policies.base import Policy
from bandits.rules import index_rule
from bandits.spec import PolicySpec
from numerics.parameters import parameter


class ThompsonGaussian(Policy, name="thompson_gaussian"):
    """The arm that is best in a draw from the posterior of Gaussian rewards of known variance, under a flat prior."""

    scale: float = parameter(1.0, low=0.0, above=True, most=LARGEST, help="Standard deviation of the rewards, above 0.")
    source = "Korda, Kaufmann and Munos 2013, algorithm 1 (Gaussian rewards, Jeffreys' prior)"

    @property
    def formula(self) -> str:
        return f"argmax theta, theta ~ N(m, {self.scale:g}^2 / n)"

    def spec(self) -> PolicySpec:
        return PolicySpec(thompson_gaussian, (self.scale,))


@index_rule
def thompson_gaussian(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """A draw from each arm's posterior N(m, scale^2 / n), as far as it can be the highest. params = [scale].

    Korda, Kaufmann and Munos, Thompson sampling for one-dimensional exponential family bandits, NeurIPS 2013, algorithm
    1: Jeffreys' prior of a Gaussian mean is flat. An arm that cannot win gets -inf (`bandits.kernels.highest_draw`).
    """
    write_highest(means, widths, params[0], False, rng, out)
