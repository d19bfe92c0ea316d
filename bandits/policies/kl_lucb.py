"""KL-LUCB."""

from __future__ import annotations

import math

import numpy as np

from bandits.identification.kernels.confidence import FORMULAS, RATES, level_of, tail_of, upper_bound
from bandits.kernels.argmax import choose_one
from bandits.policies.base import Confident
from bandits.rules import choice_rule
from bandits.spec import PolicySpec
from numerics.parameters import parameter


class KLLUCB(Confident, name="kl_lucb"):
    """The best mean and its strongest rival in turn, to tell them apart; for rewards in [0, 1]."""

    rate: str = parameter(
        "mixture", choices=RATES, help="How wide the bounds are: as chernoff needs them, or as chernoff_heuristic does."
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


@choice_rule(memory=1)
def kl_lucb(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The arm of the best mean at every other call, then the other arm of the highest bound.

    Kaufmann and Kalyanakrishnan, "Information complexity in bandit subset selection", COLT 2013, for one best arm.
    memory[0] is the rival that is still to be pulled, plus 1. params = [delta, 1 for the heuristic rate].
    """
    size = arm.size
    arms = means.size // size
    scores = np.empty(arms)
    tail = tail_of(arms, params[0])
    for r in range(size):
        if memory[0, r] > 0.0:
            arm[r], memory[0, r] = int(memory[0, r]) - 1, 0.0
            continue
        for a in range(arms):
            scores[a] = means[a * size + r]
        best = choose_one(scores, arms, rng, r)
        for a in range(arms):
            n = pulls[a * size + r]
            level = level_of(n, t, tail, params[0], params[1] > 0.0) / n
            scores[a] = upper_bound(means[a * size + r], level) if a != best else -math.inf
        arm[r], memory[0, r] = best, choose_one(scores, arms, rng, r) + 1.0
