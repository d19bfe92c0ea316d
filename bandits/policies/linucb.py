"""LinUCB."""

from __future__ import annotations

from bandits.arms.base import LARGEST
from bandits.kernels.argmax import choose_best, share_of_best
from bandits.policies.base import Policy, multiple
from bandits.regression.ridge import (
    LEAST_RIDGE,
    regression_rows,
    ridge_learn,
    start_regressions,
    write_predictions,
    write_spreads,
)
from bandits.rules import choice_rule, propensity_hook
from numerics.kernels.arrays import empty
from numerics.kernels.jit import kernel
from numerics.parameters import parameter


class LinUCB(Policy, name="linucb"):
    """Upper confidence bounds of a linear regression for each arm, for arms with features: disjoint LinUCB."""

    alpha: float = parameter(
        1.0,
        low=0.0,
        most=LARGEST,
        help="Width of the bound in standard errors, at least 0; in the paper 1 + sqrt(ln(2 / delta) / 2).",
    )
    ridge: float = parameter(
        1.0,
        low=LEAST_RIDGE,
        most=LARGEST,
        help="Ridge parameter, at least 1e-6: A of an arm without rewards is ridge I; 1 in the paper.",
    )
    other_rewards = "the same formula"
    source = "Li, Chu, Langford and Schapire 2010, Algorithm 1"

    @property
    def formula(self) -> str:
        grown = f"A_a = {multiple(self.ridge)}I + sum x x'"
        return f"theta_a . x + {multiple(self.alpha)}sqrt(x' A_a^-1 x), theta_a = A_a^-1 sum r x, {grown}"


@choice_rule(needs=("features",), arm_memory=regression_rows, learn=ridge_learn, every_arm_first=False)
def linucb(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The highest theta_a . x + alpha sqrt(x' A_a^-1 x). params = [alpha, ridge].

    Li, Chu, Langford and Schapire, A contextual-bandit approach to personalized news article recommendation, WWW 2010,
    algorithm 1, with ridge = 1 there.
    """
    arms, out = means.size // arm.size, empty(means.size)
    if t == 1.0:
        start_regressions(memory, arms, params[1])
    _write_bounds(memory, arms, params[0], out)
    choose_best(out, rng, arm)


@propensity_hook
def linucb_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write equal shares of the arms with the highest bound. params = [alpha, ridge]."""
    bounds = empty(out.size)
    _write_bounds(memory, out.size, params[0], bounds)
    share_of_best(bounds, 1, out)


@kernel()
def _write_bounds(memory, arms, alpha, out):
    """Write theta_a . x + alpha sqrt(x' A_a^-1 x) of every arm."""
    spreads = empty(out.size)
    write_predictions(memory, arms, out)
    write_spreads(memory, arms, spreads)
    for i in range(out.size):
        out[i] += alpha * spreads[i]
