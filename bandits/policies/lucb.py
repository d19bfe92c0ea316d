"""LUCB."""

from __future__ import annotations

import math

from bandits.kernels.argmax import choose_one
from bandits.policies.base import Confident
from bandits.rules import choice_rule
from bandits.spec import PolicySpec
from numerics.kernels.arrays import empty


class LUCB(Confident, name="lucb"):
    """The best mean and its strongest rival in turn, by Hoeffding's bounds; `kl_lucb` has narrower ones."""

    source = "Kalyanakrishnan, Tewari, Auer and Stone 2012, LUCB1 for one best arm"
    locks = False
    other_rewards = "proved for rewards in [0, 1]"
    unit_theory = True
    identifies = True

    @property
    def formula(self) -> str:
        return f"best m, then the best other m + sqrt(ln(1.25 K s^4 / {self.aim_text}) / (2 n)), s = (t - K + 1) / 2"

    def spec(self) -> PolicySpec:
        return PolicySpec(lucb, (self.aim,))


@choice_rule(memory=1)
def lucb(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The arm of the best mean at every other call, then the other arm of the highest bound.

    Kalyanakrishnan, Tewari, Auer and Stone, "PAC subset selection in stochastic multi-armed bandits", ICML 2012,
    section 3.2. The rounds of two pulls each are counted by s. `memory[0]` is the rival that is still to be pulled,
    plus 1. `params` is [delta].
    """
    size = arm.size
    arms = means.size // size
    scores = empty(arms)
    rounds = max(1.0, 0.5 * (t - arms + 1.0))
    bonus = math.sqrt(0.5 * math.log(1.25 * arms * rounds**4 / params[0]))
    for r in range(size):
        if memory[0, r] > 0.0:
            arm[r], memory[0, r] = int(memory[0, r]) - 1, 0.0
            continue
        for a in range(arms):
            scores[a] = means[a * size + r]
        best = choose_one(scores, arms, rng, r)
        for a in range(arms):
            scores[a] = means[a * size + r] + bonus * widths[a * size + r] if a != best else -math.inf
        arm[r], memory[0, r] = best, choose_one(scores, arms, rng, r) + 1.0
