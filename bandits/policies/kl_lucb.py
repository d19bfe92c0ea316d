"""KL-LUCB."""

from __future__ import annotations

from bandits.kernels.argmax import choose_one
from bandits.kernels.indices.confidence import FORMULAS, RATES, common_level, write_upper_bounds
from bandits.policies.base import Confident
from bandits.rules import choice_rule
from bandits.spec import PolicySpec
from numerics.kernels.arrays import empty
from numerics.parameters import parameter


class KLLUCB(Confident, name="kl_lucb"):
    """The best mean and its strongest rival in turn, to tell them apart; for rewards in [0, 1]."""

    rate: str = parameter(
        "mixture",
        choices=RATES,
        help="Width of the bounds: mixture for the rule chernoff, heuristic for chernoff_heuristic.",
    )
    source = "Kaufmann and Kalyanakrishnan 2013, KL-LUCB"
    locks = False
    other_rewards = "proved"
    unit_rewards = True
    identifies = True

    @property
    def formula(self) -> str:
        return f"best m, then the best other max q: n kl(m, q) <= {FORMULAS[self.rate].format(self.aim_text)}"

    def spec(self) -> PolicySpec:
        return PolicySpec(kl_lucb, (self.aim, float(self.rate == "heuristic")))


@choice_rule(memory=2)
def kl_lucb(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The arm of the best mean at every other call, then the other arm of the highest bound.

    Kaufmann and Kalyanakrishnan, "Information complexity in bandit subset selection", COLT 2013, for one best arm.
    `memory[0]` is a part of the bounds' level. `memory[1]` is the rival that is still to be pulled, plus 1. `params` is
    [delta, 1 for the heuristic rate].
    """
    size, heuristic = arm.size, params[1] > 0.0
    scores = empty(means.size // size)
    for r in range(size):
        if memory[1, r] > 0.0:
            arm[r], memory[1, r] = int(memory[1, r]) - 1, 0.0
            continue
        for a in range(scores.size):
            scores[a] = means[a * size + r]
        best = choose_one(scores, scores.size, rng, r)
        common = common_level(t, scores.size, params[0], heuristic, memory, r)
        write_upper_bounds(pulls, means, size, r, t, best, common, heuristic, scores)
        arm[r], memory[1, r] = best, choose_one(scores, scores.size, rng, r) + 1.0
