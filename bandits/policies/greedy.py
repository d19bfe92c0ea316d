"""Greedy play."""

from __future__ import annotations

from bandits.kernels.arguments import Estimates
from bandits.policies.base import Policy, estimate, phase
from bandits.rules import index_rule
from bandits.spec import PolicySpec
from numerics.parameters import parameter


class Greedy(Policy, name="greedy"):
    """A uniform exploration phase, then always the best mean so far."""

    explore: int = parameter(1, low=0, help="Pulls of every arm, in turn, before the first greedy choice; at least 0.")
    step_size: float | None = parameter(
        None,
        low=0.0,
        high=1.0,
        above=True,
        help="Constant step size of the estimates, in (0, 1]; null: sample averages.",
    )
    source = "Sutton and Barto 2018, section 2.2; their figure 2.2 has explore=0, where an arm may stay untried"
    locks = True

    @property
    def formula(self) -> str:
        return f"{phase(self.explore)}argmax m{estimate(self.step_size)}"

    def spec(self) -> PolicySpec:
        return PolicySpec(greedy, estimates=Estimates(self.explore, step_size=self.step_size or 0.0))


@index_rule
def greedy(mean):
    """The estimate without a bonus; optimism comes from the start value of the estimates, if at all."""
    return mean
