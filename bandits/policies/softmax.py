"""Boltzmann exploration."""

from __future__ import annotations

import math

from bandits.arms.base import LARGEST
from bandits.policies.base import Policy
from bandits.rules import choice_rule, vector_rule
from numerics.parameters import parameter
from numerics.random import next_uniform

_COLD = 0.1  # temperatures below which a replication may hardly ever return to an arm


class Softmax(Policy, name="softmax"):
    """Boltzmann exploration: each arm with probability proportional to exp(m / temperature)."""

    temperature: float = parameter(
        0.1,
        low=0.0,
        above=True,
        most=LARGEST,
        help="Temperature, above 0: small values are greedy, large ones uniform.",
    )
    source = "Sutton and Barto 1998, section 2.3"

    @property
    def locks(self) -> bool | None:  # type: ignore[override]
        """Whether it can lock; None where nothing is known."""
        return True if self.temperature < _COLD else None

    @property
    def formula(self) -> str:
        return f"each arm once, arm a with probability exp(m_a / {self.temperature:g}) / sum"


@choice_rule
def softmax(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """Arm a with probability proportional to exp(m_a / temperature): Boltzmann exploration. params = [temperature]."""
    size = arm.size
    arms = means.size // size
    temperature = params[0]
    for r in range(size):
        top = means[r]
        for a in range(1, arms):
            top = max(top, means[a * size + r])
        total = 0.0
        for a in range(arms):
            total += math.exp((means[a * size + r] - top) / temperature)
        left = next_uniform(rng, r) * total
        chosen = arms - 1
        for a in range(arms):
            left -= math.exp((means[a * size + r] - top) / temperature)
            if left < 0.0:
                chosen = a
                break
        arm[r] = chosen


@vector_rule
def softmax_chances(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """Write the probability of each arm. params = [temperature]."""
    size = rng.shape[0]
    for r in range(size):
        top = means[r]
        for i in range(size + r, out.size, size):
            top = max(top, means[i])
        total = 0.0
        for i in range(r, out.size, size):
            out[i] = math.exp((means[i] - top) / params[0])
            total += out[i]
        for i in range(r, out.size, size):
            out[i] /= total
