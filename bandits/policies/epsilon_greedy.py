"""Epsilon-greedy play, with a constant or a falling epsilon."""

from __future__ import annotations

import math

from bandits.arms.base import LARGEST
from bandits.kernels.argmax import choose_best, share_of_best
from bandits.kernels.arguments import Estimates
from bandits.policies.base import Policy, estimate, phase
from bandits.policies.greedy import Greedy
from bandits.rules import choice_rule, vector_rule
from bandits.spec import PolicySpec
from numerics.parameters import parameter, parameter_as
from numerics.random import next_uniform

RARE = 0.05  # exploration so rare that a replication may lose all of a usual horizon


class EpsilonGreedy(Policy, name="epsilon_greedy"):
    """Any arm with probability epsilon_t, else the best mean so far."""

    epsilon: float = parameter(0.1, low=0.0, high=1.0, help="Probability of exploring, in [0, 1].")
    decay: float | None = parameter(
        None,
        low=0.0,
        above=True,
        most=LARGEST,
        help="D > 0: epsilon_t = min(epsilon, D / t); constant when left out.",
    )
    explore: int = parameter(1, low=0, help="Pulls of every arm, in turn, before the rule starts; at least 0.")
    step_size: float | None = parameter_as(Greedy, "step_size")
    source = "Sutton and Barto 2018, section 2.2; decaying: Auer, Cesa-Bianchi and Fischer 2002, figure 3"
    other_rewards = "the same formula; proved in [0, 1] with decaying epsilon"

    @property
    def locks(self) -> bool | None:  # type: ignore[override]
        """Whether it can lock; None where nothing is known."""
        return True if self.decay is not None or self.epsilon < RARE else None

    @property
    def formula(self) -> str:
        epsilon = f"{self.epsilon:g}" if self.decay is None else f"min({self.epsilon:g}, {self.decay:g} / t)"
        return f"{phase(self.explore)}any arm with probability {epsilon}, else argmax m{estimate(self.step_size)}"

    def spec(self) -> PolicySpec:
        decay = math.inf if self.decay is None else self.decay
        return PolicySpec(
            epsilon_greedy,
            (self.epsilon, decay),
            estimates=Estimates(self.explore, step_size=self.step_size or 0.0),
            chances=epsilon_greedy_chances,
        )


@choice_rule
def epsilon_greedy(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """With probability epsilon_t any arm, else the best mean. params = [epsilon, decay].

    epsilon_t = min(epsilon, decay / t); decay = inf keeps it constant. With epsilon = 1 and decay = c K / d^2 this is
    epsilon_n-GREEDY of Auer, Cesa-Bianchi and Fischer 2002, figure 3.
    """
    arms = means.size // arm.size
    epsilon = min(params[0], params[1] / t)
    choose_best(means, rng, arm)
    for r in range(arm.size):
        u = next_uniform(rng, r)
        if u < epsilon:
            arm[r] = int(u / epsilon * arms)  # given u < epsilon, u / epsilon is again uniform


@vector_rule
def epsilon_greedy_chances(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """Write the probability of each arm. params = [epsilon, decay]."""
    epsilon = min(params[0], params[1] / t)
    share_of_best(means, rng.shape[0], out)
    for i in range(out.size):
        out[i] = epsilon * rng.shape[0] / out.size + (1.0 - epsilon) * out[i]
