"""Explore, then commit."""

from __future__ import annotations

from bandits.kernels.argmax import choose_best, share_of_best
from bandits.kernels.arguments import Estimates
from bandits.policies.base import Policy, phase
from bandits.rules import choice_rule, vector_rule
from bandits.spec import PolicySpec
from numerics.parameters import parameter


class ExploreThenCommit(Policy, name="explore_then_commit"):
    """A uniform exploration phase, then the arm that was best at its end, whatever it pays later."""

    explore: int = parameter(10, low=1, help="Pulls of every arm, in turn, before committing; at least 1.")
    source = "Lattimore and Szepesvari 2020, chapter 6"
    locks = True
    other_rewards = "proved for subgaussian rewards, such as any in [0, 1]"

    @property
    def formula(self) -> str:
        return f"{phase(self.explore)}then the arm of the best m for ever"

    def spec(self) -> PolicySpec:
        return PolicySpec(commit, estimates=Estimates(self.explore), chances=commit_chances)


@choice_rule(memory=1)
def commit(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The arm of the best mean at the first call, for ever. params = []."""
    if memory[0, 0] == 0.0:
        choose_best(means, rng, arm)
        for r in range(arm.size):
            memory[0, r] = arm[r] + 1.0
    for r in range(arm.size):
        arm[r] = int(memory[0, r]) - 1


@vector_rule
def commit_chances(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """Write the probability of each arm: shares of the best means at first, then 1 for the chosen one. params = []."""
    share_of_best(means if t - 1.0 == pulls[0] * out.size / rng.shape[0] else pulls, rng.shape[0], out)
