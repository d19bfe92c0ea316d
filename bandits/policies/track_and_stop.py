"""Track-and-Stop."""

from __future__ import annotations

import math

from bandits.kernels.argmax import choose_one
from bandits.kernels.indices.weights import write_optimal_weights
from bandits.policies.base import Policy
from bandits.rules import choice_rule
from bandits.spec import PolicySpec
from numerics.kernels.arrays import empty
from numerics.parameters import parameter

_SHARES = {"C": "the sum over all t of w*(m)", "D": "t w*(m)"}


class TrackAndStop(Policy, name="track_and_stop"):
    """The shares of pulls that would be best if the means were true, w*, are followed; for rewards in [0, 1]."""

    tracking: str = parameter(
        "D", choices=tuple(_SHARES), help="What pulls track: the cumulative shares (C) or the current shares (D)."
    )
    source = "Garivier and Kaufmann 2016, D-tracking, and C-tracking with the forced exploration of D"
    locks = False
    other_rewards = "the shares for Bernoulli arms"
    unit_rewards = True
    identifies = True

    @property
    def formula(self) -> str:
        return f"argmin n where n < sqrt(t) - K / 2, else argmax {_SHARES[self.tracking]} - n"

    def spec(self) -> PolicySpec:
        return PolicySpec(track_and_stop, (float(self.tracking == "C"),))


@choice_rule(arm_memory=1)
def track_and_stop(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The arm of the fewest pulls if it has too few of them, else the one that is farthest behind its share w*.

    Garivier and Kaufmann, "Optimal best arm identification with fixed confidence", COLT 2016, section 3; t in their
    formulas counts the pulls so far. Row a of the memory is the sum of arm a's shares, of C-tracking. D-tracking needs
    no shares while exploration is forced. params = [1 for C-tracking].
    """
    size, so_far = arm.size, t - 1.0
    arms = means.size // size
    scores, weights = empty(arms), empty(arms)
    for r in range(size):
        fewest = math.inf
        for a in range(arms):
            fewest = min(fewest, pulls[a * size + r])
            scores[a] = means[a * size + r]
        forced, summed = fewest < math.sqrt(so_far) - 0.5 * arms, params[0] > 0.0
        if summed or not forced:
            write_optimal_weights(scores, weights)
        for a in range(arms):
            if summed:
                memory[a, r] += weights[a]
            wanted = 0.0 if forced else memory[a, r] if summed else so_far * weights[a]
            scores[a] = wanted - pulls[a * size + r]
        arm[r] = choose_one(scores, arms, rng, r)
