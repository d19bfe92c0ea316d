"""IMED."""

from __future__ import annotations

import math

import numpy as np

from bandits.kernels.indices.kl_index import ROUNDING, above, bernoulli_kl, highest_means, kl_excluded
from bandits.policies.base import Policy
from bandits.rules import vector_rule
from numerics.kernels.arrays import empty
from numerics.kernels.elementary import ln
from numerics.kernels.pointers import at
from numerics.kernels.simd import LANES, first_bit

_EQUAL = 2.0**-40  # of two indices, relative to them: of the order of their rounding up to 10^6 pulls


class IMED(Policy, name="imed"):
    """The arm against which there is least evidence, for rewards in [0, 1]; asymptotically optimal.

    The divergence is that of rewards of 0 and 1.
    """

    source = "Honda and Takemura 2015, the policy IMED"
    locks = False
    other_rewards = "the Bernoulli kl replaces that of the reward law (no guarantee)"
    unit_rewards = True
    formula = "-(n kl(m, max m) + ln n)"


@vector_rule
def imed(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """-(n kl(m, max m) + ln n): IMED, Honda and Takemura, JMLR 16 (2015), with kl for their D_inf. params = [].

    Only the highest index matters. An arm with the highest mean has -ln n. A lower bound of kl by plain arithmetic
    rules out nearly all others, which get -inf. Indices often tie in exact arithmetic. For example, k - 1 successes in
    k pulls and a single failure both have -ln k. Indices that differ only by rounding get the same value.
    """
    size = rng.shape[0]
    top, least, first = empty(size), empty(size), empty(size, np.int64)
    highest_means(means, top, first)
    for i in range(out.size):
        out[i] = ln(pulls[i])
    for r in range(size):
        least[r] = out[at(first[r] * size + r)] * ROUNDING
    for a in range(out.size // size):
        for r in range(size):
            i = a * size + r
            out[i] = -math.inf if kl_excluded(pulls[i], means[i], top[r], least[r] - out[i]) else out[i]
    highest = least  # whose room is free now
    highest[:] = -math.inf
    for a in range(out.size // size):
        for begun in range(0, size, LANES):
            rivals = above(out, a * size + begun, min(LANES, size - begun), -math.inf)
            while rivals:
                r = begun + first_bit(rivals)
                rivals &= rivals - 1
                i = at(a * size + r)
                if top[r] >= 1.0 and means[i] < 1.0:  # the best arm always paid 1: no other arm can be best
                    out[i] = -math.inf
                    continue
                score = -(pulls[i] * bernoulli_kl(means[i], top[r]) + out[i])
                if abs(score - highest[r]) <= _EQUAL * (1.0 - score):
                    score = highest[r]
                highest[r] = max(highest[r], score)
                out[i] = score
