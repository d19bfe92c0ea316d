"""Thompson sampling for rewards of 0 and 1 that are logistic in features."""

from __future__ import annotations

from bandits.arms.base import LARGEST
from bandits.kernels.argmax import choose_best
from bandits.policies.base import Policy, multiple
from bandits.regression.logistic import logistic_learn
from bandits.regression.ridge import LEAST_RIDGE, regression_rows, start_regressions, write_chances, write_draws
from bandits.rules import choice_rule, propensity_hook
from numerics.kernels.arrays import empty
from numerics.parameters import parameter


class LogisticThompson(Policy, name="logistic_thompson"):
    """The arm that is best in a draw from the posterior of a logistic regression for each arm, by Laplace's method."""

    scale: float = parameter(
        1.0,
        low=0.0,
        above=True,
        most=LARGEST,
        help="Factor of the posterior's standard deviation, above 0 (alpha in the paper); smaller values explore less.",
    )
    ridge: float = parameter(
        1.0,
        low=LEAST_RIDGE,
        most=LARGEST,
        help="The prior of theta is N(0, I / ridge); at least 1e-6 (lambda in the paper).",
    )
    source = "Chapelle and Li 2011, algorithm 3; Russo et al. 2018, section 5.2"
    locks = False
    other_rewards = "a fraction counts as that share of a success (no guarantee)"
    unit_rewards = True

    @property
    def formula(self) -> str:
        return (
            f"argmax z_a, z_a ~ N(theta_a . x, {self.scale:g}^2 x' A_a^-1 x), "
            f"A_a = {multiple(self.ridge)}I + sum p (1 - p) x x'"
        )


@choice_rule(needs=("features",), arm_memory=regression_rows, learn=logistic_learn, every_arm_first=False)
def logistic_thompson(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The highest draw of theta_a . x, theta_a from Laplace's approximation. params = [scale, ridge].

    Chapelle and Li, An empirical evaluation of Thompson sampling, NeurIPS 2011, algorithm 3, with batches of one reward
    and a theta for each arm. They keep only the diagonal of A; here all of A is kept (`bandits.regression.logistic`).
    The probability of a 1 increases with theta_a . x, so both have the same best arm.
    """
    arms, out = means.size // arm.size, empty(means.size)
    if t == 1.0:
        start_regressions(memory, arms, params[1])
    write_draws(memory, arms, params[0], rng, out)
    choose_best(out, rng, arm)


@propensity_hook
def logistic_thompson_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write the probability that each arm has the highest draw. params = [scale, ridge]."""
    write_chances(memory, params[0], out)
