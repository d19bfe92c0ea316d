"""Every arm equally often."""

from __future__ import annotations

from bandits.policies.base import Policy
from bandits.rules import index_rule


class RoundRobin(Policy, name="round_robin"):
    """Every arm equally often: the plain design of an experiment, and the measure of better ones."""

    source = "uniform exploration; Bubeck, Munos and Stoltz 2011"
    locks = False
    other_rewards = "the same"
    identifies = True
    formula = "argmin n"


@index_rule
def round_robin(pulls):
    """The arm of the fewest pulls."""
    return -pulls
