"""Greedy play from an optimistic start."""

from __future__ import annotations

from bandits.arms.base import LARGEST
from bandits.kernels.arguments import Estimates
from bandits.policies.base import Policy, estimate
from bandits.policies.greedy import greedy
from bandits.spec import PolicySpec
from numerics.parameters import parameter


class Optimistic(Policy, name="optimistic"):
    """Greedy from a high start value: every arm looks good until it has been tried enough."""

    initial: float = parameter(
        1.0,
        most=LARGEST,
        help="Every arm's estimate before its first pull; optimistic when above the best mean.",
    )
    prior_pulls: float = parameter(
        1.0,
        low=0.0,
        above=True,
        most=LARGEST,
        help="Number of pulls that the start value counts for, above 0; no effect with a step size.",
    )
    step_size: float | None = parameter(
        None,
        low=0.0,
        high=1.0,
        above=True,
        help="Constant step size of the estimates, in (0, 1], which forgets the start value; null: sample averages.",
    )
    source = "Sutton and Barto 2018, section 2.6"
    locks = True

    @property
    def formula(self) -> str:
        if self.step_size is not None:
            return f"argmax m, m = {self.initial:g} at first{estimate(self.step_size)}"
        w = self.prior_pulls
        return f"argmax ({w * self.initial:g} + sum of rewards) / ({w:g} + n)"

    def spec(self) -> PolicySpec:
        return PolicySpec(greedy, estimates=Estimates(0, self.initial, self.prior_pulls, self.step_size or 0.0))
