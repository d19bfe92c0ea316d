"""Every arm in turn."""

from __future__ import annotations

import numpy as np

from bandits.policies.base import Policy
from bandits.rules import index_rule
from bandits.spec import PolicySpec


class RoundRobin(Policy, name="round_robin"):
    """Every arm in turn, for ever: the plain design of an experiment, and the measure of better ones."""

    source = "uniform allocation; Lattimore and Szepesvari 2020, section 33.3"
    locks = False
    other_rewards = "the same"

    @property
    def formula(self) -> str:
        return "argmin n, the first of equals"

    def spec(self) -> PolicySpec:
        return PolicySpec(round_robin)


@index_rule(every_arm_first=False)
def round_robin(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """0 for the arm whose turn it is, else -inf. params = []."""
    size = rng.shape[0]
    arms = out.size // size
    out[:] = -np.inf
    for r in range(size):
        out[int(t - 1.0) % arms * size + r] = 0.0
