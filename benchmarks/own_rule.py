"""A rule as a user writes one, in a file of its own, with the formula of the built-in `ucb`."""

import math

from bandits import index_rule


@index_rule
def my_ucb(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """m + c sqrt(ln t / n). params = [c]."""
    bonus = params[0] * math.sqrt(math.log(t))
    for i in range(out.size):
        out[i] = means[i] + bonus * widths[i]
