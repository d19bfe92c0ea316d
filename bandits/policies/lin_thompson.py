"""Thompson sampling for rewards that are linear in features."""

from __future__ import annotations

from bandits.arms.base import LARGEST
from bandits.kernels.argmax import choose_best
from bandits.policies.base import Policy, multiple
from bandits.regression.ridge import (
    LEAST_RIDGE,
    regression_rows,
    ridge_learn,
    start_regressions,
    write_chances,
    write_draws,
)
from bandits.rules import choice_rule, propensity_hook
from numerics.kernels.arrays import empty
from numerics.parameters import parameter


class LinThompson(Policy, name="lin_thompson"):
    """The arm that is best in a draw from the posterior of a linear regression for each arm; for arms with features."""

    scale: float = parameter(
        1.0,
        low=0.0,
        above=True,
        most=LARGEST,
        help="Standard deviation of the rewards, above 0; the proof in the paper needs a larger one, v.",
    )
    ridge: float = parameter(
        1.0,
        low=LEAST_RIDGE,
        most=LARGEST,
        help="The prior of theta is N(0, scale^2 / ridge I); at least 1e-6, 1 in the paper.",
    )
    source = "Agrawal and Goyal 2013, algorithm 1, with a theta for each arm"
    locks = False
    other_rewards = (
        "the same formula; proved for rewards linear in features, with one theta for all arms and a larger v"
    )

    @property
    def formula(self) -> str:
        return (
            f"argmax z_a, z_a ~ N(theta_a . x, {self.scale:g}^2 x' A_a^-1 x), A_a = {multiple(self.ridge)}I + sum x x'"
        )


@choice_rule(needs=("features",), arm_memory=regression_rows, learn=ridge_learn, every_arm_first=False)
def lin_thompson(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The highest draw of theta_a . x, theta_a ~ N(A_a^-1 b_a, scale^2 A_a^-1). params = [scale, ridge].

    Agrawal and Goyal, Thompson sampling for contextual bandits with linear payoffs, ICML 2013, algorithm 1: they have
    one theta, and features of each arm. Here each arm has its own, as in the disjoint model of Li et al. 2010: theirs,
    if an arm's features are those of the step in a block of its own, and 0 in the blocks of other arms.
    """
    arms, out = means.size // arm.size, empty(means.size)
    if t == 1.0:
        start_regressions(memory, arms, params[1])
    write_draws(memory, arms, params[0], rng, out)
    choose_best(out, rng, arm)


@propensity_hook
def lin_thompson_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write the probability that each arm has the highest draw. params = [scale, ridge]."""
    write_chances(memory, params[0], out)
