"""A rule as a user writes one, in a file of its own, with the formula of the built-in `ucb`."""

import math

from bandits import bonus_rule


@bonus_rule
def my_ucb(t, c=1.0):
    """c sqrt(ln t) of m + c sqrt(ln t / n)."""
    return c * math.sqrt(math.log(t))
