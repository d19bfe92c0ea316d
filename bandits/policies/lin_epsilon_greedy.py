"""Epsilon-greedy play on linear regressions, with a constant or a falling epsilon."""

from __future__ import annotations

from bandits.arms.base import LARGEST
from bandits.kernels.argmax import choose_best, share_of_best
from bandits.policies.base import Policy, multiple
from bandits.policies.epsilon_greedy import RARE, EpsilonGreedy
from bandits.regression.ridge import LEAST_RIDGE, regression_rows, ridge_learn, start_regressions, write_predictions
from bandits.rules import choice_rule, propensity_hook
from numerics.kernels.arrays import empty
from numerics.parameters import parameter, parameter_as
from numerics.random import next_uniform


class LinEpsilonGreedy(Policy, name="lin_epsilon_greedy"):
    """Any arm with probability epsilon_t, else the best by a linear regression for each arm; for arms with features."""

    epsilon: float = parameter_as(EpsilonGreedy, "epsilon")
    decay: float | None = parameter_as(EpsilonGreedy, "decay")
    ridge: float = parameter(
        1.0,
        low=LEAST_RIDGE,
        most=LARGEST,
        help="Ridge parameter, at least 1e-6: A of an arm without rewards is ridge I.",
    )
    source = "Li, Chu, Langford and Schapire 2010, epsilon-greedy (disjoint)"
    other_rewards = "the same formula (no guarantee)"

    @property
    def locks(self) -> bool | None:  # type: ignore[override]
        """Whether it can lock; None where nothing is known."""
        return True if self.decay is not None or self.epsilon < RARE else None

    @property
    def formula(self) -> str:
        epsilon = f"{self.epsilon:g}" if self.decay is None else f"min({self.epsilon:g}, {self.decay:g} / t)"
        return (
            f"any arm with probability {epsilon}, else argmax theta_a . x, theta_a = A_a^-1 sum r x, "
            f"A_a = {multiple(self.ridge)}I + sum x x'"
        )


@choice_rule(needs=("features",), arm_memory=regression_rows, learn=ridge_learn, every_arm_first=False)
def lin_epsilon_greedy(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """With probability epsilon_t any arm, else the highest theta_a . x. params = [epsilon, decay, ridge].

    epsilon_t = min(epsilon, decay / t); decay = inf keeps it constant.
    """
    arms, out, epsilon = means.size // arm.size, empty(means.size), min(params[0], params[1] / t)
    if t == 1.0:
        start_regressions(memory, arms, params[2])
    write_predictions(memory, arms, out)
    choose_best(out, rng, arm)
    for r in range(arm.size):
        u = next_uniform(rng, r)
        if u < epsilon:
            arm[r] = int(u / epsilon * arms)  # given u < epsilon, u / epsilon is again uniform


@propensity_hook
def lin_epsilon_greedy_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write the probability of each arm. params = [epsilon, decay, ridge]."""
    predicted, epsilon = empty(out.size), min(params[0], params[1] / t)
    write_predictions(memory, out.size, predicted)
    share_of_best(predicted, 1, out)
    for a in range(out.size):
        out[a] = epsilon / out.size + (1.0 - epsilon) * out[a]
