"""KL Maillard sampling."""

from __future__ import annotations

import numpy as np

from bandits.kernels.indices.kl_index import highest_means
from bandits.kernels.indices.propensities import share_by_weight, write_propensity
from bandits.policies.base import Policy
from bandits.rules import vector_rule
from numerics.kernels.arrays import empty
from numerics.kernels.elementary import exp, ln
from numerics.kernels.jit import kernel

_LEAST = 1e-300  # in the place of 0 in a logarithm that is multiplied by 0


class KLMS(Policy, name="kl_ms"):
    """Maillard sampling with the divergence of rewards in [0, 1]; asymptotically optimal on arms that pay 0 or 1.

    Its probabilities are known in closed form, which off-policy estimates need: the score of the pulled arm is its own.
    """

    source = "Qin, Jun and Zhang 2023, KL-MS"
    locks = False
    other_rewards = "proved"
    unit_rewards = True
    formula = "each arm once, arm a with probability exp(-n_a kl(m_a, max m)) / sum"


@vector_rule
def kl_ms(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """The probability of the arm drawn, in proportion to exp(-n kl(m, max m)). params = [].

    Qin, Jun and Zhang, Kullback-Leibler Maillard sampling for multi-armed bandits with bounded rewards, NeurIPS 2023.
    """
    _weights(pulls, means, rng.shape[0], out)
    write_propensity(rng, out)


@vector_rule
def kl_ms_chances(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """Write the probability of each arm. params = []."""
    _weights(pulls, means, rng.shape[0], out)
    share_by_weight(rng.shape[0], out)


@kernel()
def _weights(pulls, means, size, out):
    """Write the weight of each arm."""
    top, gains, losses, first = (
        empty(size),
        empty(size),
        empty(size),
        empty(size, np.int64),
    )
    highest_means(means, top, first)
    for r in range(size):
        gains[r] = ln(max(top[r], _LEAST))
        losses[r] = ln(max(1.0 - top[r], _LEAST))
    for a in range(out.size // size):
        for r in range(size):
            i = a * size + r
            m = means[i]
            rest = 1.0 - m
            kl = m * (ln(m if m > _LEAST else _LEAST) - gains[r])
            kl += rest * (ln(rest if rest > _LEAST else _LEAST) - losses[r])
            weight = exp(-pulls[i] * kl if m < top[r] else 0.0)
            out[i] = weight if (top[r] < 1.0) | (m >= 1.0) else 0.0
