"""Bayes-UCB."""

from __future__ import annotations

import math

import numpy as np

from bandits.kernels.indices.beta_quantile import beta_upper, guess, log_beta, tail_and_hazard
from bandits.kernels.indices.beta_tail import tail_bound
from bandits.kernels.indices.kl_index import ROUNDING, above, highest_means
from bandits.policies.base import Policy
from bandits.rules import vector_rule
from numerics.kernels.arrays import empty
from numerics.kernels.jit import kernel
from numerics.kernels.pointers import at
from numerics.kernels.simd import LANES, first_bit
from numerics.parameters import parameter

_LOW, _HIGH = 0.1, 1e9  # of the prior: beyond, quantiles round to 0 or 1


class BayesUCB(Policy, name="bayes_ucb"):
    """The upper quantile 1 - 1 / t of each arm's posterior; Beta prior, rewards in [0, 1]; asymptotically optimal."""

    alpha: float = parameter(
        1.0, low=_LOW, high=_HIGH, help="First parameter of the prior Beta(alpha, beta) of every mean, from 0.1 to 1e9."
    )
    beta: float = parameter(
        1.0, low=_LOW, high=_HIGH, help="Second parameter of the prior, from 0.1 to 1e9; Beta(1, 1) is uniform."
    )
    source = "Kaufmann, Cappe and Garivier 2012, Bayes-UCB with c = 0"
    locks = False
    other_rewards = "fractions are added to S (no guarantee)"
    unit_rewards = True

    @property
    def formula(self) -> str:
        return f"quantile 1 - 1 / t of Beta({self.alpha:g} + S, {self.beta:g} + n - S), S = n m"


@vector_rule
def bayes_ucb(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """The quantile 1 - 1 / t of the posterior Beta(alpha + S, beta + n - S), S = n m. params = [alpha, beta].

    Kaufmann, Cappe and Garivier, On Bayesian upper confidence bounds for bandit problems, AISTATS 2012, the algorithm
    Bayes-UCB with c = 0, as in its experiments. Only the highest index matters, so the rule first solves for an arm
    with the highest mean. A bound on the chance that another arm lies above it rules out nearly all others. These get
    -inf.
    """
    size = rng.shape[0]
    alpha, beta, level = params[0], params[1], math.log(t)
    top, best, first = empty(size), empty(size), empty(size, np.int64)
    highest_means(means, top, first)
    for r in range(size):
        i = at(first[r] * size + r)
        best[r] = quantile(pulls[i], means[i], alpha, beta, level)
    for a in range(out.size // size):
        for r in range(size):
            i = a * size + r
            gained = means[i] * pulls[i]
            bound = tail_bound(alpha + gained - 1.0, beta + pulls[i] - gained - 1.0, best[r], False)
            out[i] = -math.inf if t * ROUNDING * bound < 1.0 else 0.0
    for r in range(size):
        top[r] = best[r]  # from here on the index of arm `first`; `best` rises with its rivals
        out[at(first[r] * size + r)] = -math.inf
    for a in range(out.size // size):
        for begun in range(0, size, LANES):
            rivals = above(out, a * size + begun, min(LANES, size - begun), -math.inf)
            while rivals:
                r = begun + first_bit(rivals)
                rivals &= rivals - 1
                i = at(a * size + r)
                out[i] = rival(pulls[i], means[i], alpha, beta, level, best[r])
                best[r] = max(best[r], out[i])
    for r in range(size):
        out[at(first[r] * size + r)] = top[r]


@kernel()
def quantile(n, m, alpha, beta, level):
    """Return the index of an arm of n pulls and mean m."""
    return beta_upper(alpha + n * m, beta + n * (1.0 - m), level, guess(m, n, level))


@kernel()
def rival(n, m, alpha, beta, level, best):
    """Return the index of an arm if it is at least `best`, else -inf, mostly without solving for it."""
    a, b = alpha + n * m, beta + n * (1.0 - m)
    if best < 1.0 and tail_and_hazard(a, b, best, 1.0 - best, log_beta(a, b))[0] < -level * ROUNDING - 1e-9:
        return -math.inf
    return beta_upper(a, b, level, guess(m, n, level))
