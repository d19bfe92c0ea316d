"""Discounted Thompson sampling."""

from __future__ import annotations

from bandits.kernels.argmax import choose_best
from bandits.policies.base import Discounting
from bandits.policies.discounted_ucb import discounted_learn, parts
from bandits.policies.thompson import Thompson, write_chances, write_draws
from bandits.rules import choice_rule, propensity_hook
from bandits.spec import PolicySpec
from numerics.kernels.arrays import empty
from numerics.parameters import parameter_as


class DiscountedThompson(Discounting, name="discounted_thompson"):
    """Thompson sampling whose successes and failures are discounted at every step, for arms that change."""

    alpha: float = parameter_as(Thompson, "alpha")
    beta: float = parameter_as(Thompson, "beta")
    source = "Raj and Kalyani 2017, discounted Thompson sampling; with null, gamma of Garivier and Moulines 2011"
    locks = False
    other_rewards = "fractions are added to S (no guarantee)"
    unit_rewards = True

    @property
    def formula(self) -> str:
        prior = f"Beta({self.alpha:g} + S, {self.beta:g} + N - S)"
        return f"argmax theta, theta ~ {prior}, N and S discounted by {self.discount} at each pull"

    def spec(self) -> PolicySpec:
        return self.discounted(discounted_thompson, self.alpha, self.beta)


@choice_rule(arm_memory=3, learn=discounted_learn, every_arm_first=False)
def discounted_thompson(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The highest draw of Beta(alpha + S, beta + N - S). params = [gamma, alpha, beta].

    N is the sum of gamma^(t - 1 - s) over an arm's pulls s < t, and S the discounted sum of its rewards. So the prior
    is never forgotten. All arms are discounted at each step, pulled or not; a late reward counts from its arrival. Raj
    and Kalyani, Taming non-stationary bandits: a Bayesian approach, arXiv 1707.09727 (2017).
    """
    size = arm.size
    counts, sums, estimates = parts(memory, means.size // size)
    out = empty(means.size)
    for i in range(means.size):
        estimates[i] = min(sums[i] / max(counts[i], 1e-300), 1.0)
    write_draws(counts, estimates, params[1], params[2], rng, out)
    choose_best(out, rng, arm)
    for i in range(means.size):
        counts[i] *= params[0]
        sums[i] *= params[0]


@propensity_hook
def discounted_thompson_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write the probability that each arm has the highest draw, from counts that the choice has discounted."""
    counts, _, estimates = parts(memory, out.size)
    tried = empty(out.size)
    for a in range(out.size):
        tried[a] = counts[a] / params[0]
    write_chances(tried, estimates, params[1], params[2], out)
