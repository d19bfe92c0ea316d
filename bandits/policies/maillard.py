"""Maillard sampling."""

from __future__ import annotations

import numpy as np

from bandits.arms.base import LARGEST
from bandits.kernels.indices.kl_index import highest_means
from bandits.kernels.indices.propensities import share_by_weight, write_propensity
from bandits.policies.base import Policy
from bandits.rules import vector_rule
from numerics.kernels.arrays import empty
from numerics.kernels.elementary import exp
from numerics.kernels.jit import kernel
from numerics.parameters import parameter


class Maillard(Policy, name="maillard"):
    """A random arm, less likely the more evidence is against it; asymptotically optimal for Gaussian rewards.

    Its probabilities are known in closed form, which off-policy estimates need: the score of the pulled arm is its own.
    """

    scale: float = parameter(
        0.5,
        low=0.0,
        above=True,
        most=LARGEST,
        help="sigma of sigma-subgaussian rewards, above 0; 1/2 for rewards in [0, 1].",
    )
    source = "Bian and Jun 2022, Maillard sampling"
    locks = False
    other_rewards = "proved for sigma-subgaussian rewards"

    @property
    def formula(self) -> str:
        return f"each arm once, arm a with probability exp(-n_a (max m - m_a)^2 / (2 {self.scale:g}^2)) / sum"


@vector_rule
def maillard(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """The probability of the arm drawn, in proportion to exp(-n (max m - m)^2 / (2 scale^2)). params = [scale].

    Bian and Jun, Maillard sampling: Boltzmann exploration done optimally, AISTATS 2022.
    """
    _weights(pulls, means, params, rng.shape[0], out)
    write_propensity(rng, out)


@vector_rule
def maillard_chances(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """Write the probability of each arm. params = [scale]."""
    _weights(pulls, means, params, rng.shape[0], out)
    share_by_weight(rng.shape[0], out)


@kernel()
def _weights(pulls, means, params, size, out):
    """Write the weight of each arm."""
    top, first = empty(size), empty(size, np.int64)
    highest_means(means, top, first)
    for a in range(out.size // size):
        for r in range(size):
            i = a * size + r
            gap = (top[r] - means[i]) / params[0]
            out[i] = exp(-0.5 * pulls[i] * gap * gap)
