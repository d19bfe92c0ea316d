"""Successive elimination."""

from __future__ import annotations

import math

from bandits.kernels.argmax import choose_one, share_of_best
from bandits.policies.base import Confident
from bandits.rules import choice_rule, propensity_hook
from bandits.spec import PolicySpec
from numerics.kernels.arrays import empty


class SuccessiveElimination(Confident, name="successive_elimination"):
    """Rounds of a pull for every arm that is left; arms that fall too far behind leave for ever."""

    source = "Even-Dar, Mannor and Mansour 2006, successive elimination with c = 4"
    locks = True
    other_rewards = "proved for rewards in [0, 1]"
    unit_theory = True
    identifies = True

    @property
    def formula(self) -> str:
        return f"each arm left in turn; those leave whose m <= max m - 2 sqrt(ln(4 K n^2 / {self.aim_text}) / n)"

    def spec(self) -> PolicySpec:
        return PolicySpec(successive_elimination, (self.aim,))


@choice_rule(arm_memory=1)
def successive_elimination(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The arm of the fewest pulls among those that are left; after a round some leave. params = [delta].

    Even-Dar, Mannor and Mansour, "Action elimination and stopping conditions for the multi-armed bandit and
    reinforcement learning problems", JMLR 7 (2006), algorithm 3. Row a of the memory is 1 once arm a has left.
    """
    size = arm.size
    arms = means.size // size
    scores = empty(arms)
    for r in range(size):
        fewest, most, best = math.inf, 0.0, -math.inf
        for a in range(arms):
            if memory[a, r] == 0.0:
                i = a * size + r
                fewest, most, best = min(fewest, pulls[i]), max(most, pulls[i]), max(best, means[i])
        if fewest == most:  # a round is over
            behind = best - 2.0 * math.sqrt(math.log(4.0 * arms * most * most / params[0]) / most)
            for a in range(arms):
                if means[a * size + r] <= behind:
                    memory[a, r] = 1.0
        for a in range(arms):
            scores[a] = -pulls[a * size + r] if memory[a, r] == 0.0 else -math.inf
        arm[r] = choose_one(scores, arms, rng, r)


@propensity_hook
def successive_elimination_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write equal shares of the arms that are left with the fewest pulls."""
    scores = empty(out.size)
    for a in range(out.size):
        scores[a] = -pulls[a] if memory[a, 0] == 0.0 else -math.inf
    share_of_best(scores, 1, out)
