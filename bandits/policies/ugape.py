"""UGapE."""

from __future__ import annotations

import math

import numpy as np

from bandits.identification.kernels.confidence import FORMULAS, RATES, level_of, lower_bound, tail_of, upper_bound
from bandits.kernels.argmax import choose_one
from bandits.policies.base import Confident
from bandits.rules import choice_rule
from bandits.spec import PolicySpec
from numerics.parameters import parameter


class UGapE(Confident, name="ugape"):
    """Of the arm of the smallest possible gap and its strongest rival the one with fewer pulls; rewards in [0, 1]."""

    rate: str = parameter(
        "mixture", choices=RATES, help="How wide the bounds are: as chernoff needs them, or as chernoff_heuristic does."
    )
    source = "Gabillon, Ghavamzadeh and Lazaric 2012, UGapEc, with bounds of Bernoulli's divergence"
    locks = False
    other_rewards = "proved"
    unit_rewards = True
    identifies = True

    @property
    def formula(self) -> str:
        bounds = FORMULAS[self.rate].format(self.aim_text)
        return f"a: least max of other U - L(a), b: best other U; fewer n; n kl(m, U or L) = {bounds}"

    def spec(self) -> PolicySpec:
        return PolicySpec(ugape, (self.aim, float(self.rate == "heuristic")))


@choice_rule
def ugape(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The one of fewer pulls of two arms. params = [delta, 1 for the heuristic rate].

    The first has the least max over other arms b of U(b) - L(a), the second the highest U among the others: Gabillon,
    Ghavamzadeh and Lazaric, "Best arm identification: a unified approach to fixed budget and fixed confidence",
    NeurIPS 2012, figure 1. Fewer pulls are the wider interval.
    """
    size = arm.size
    arms = means.size // size
    level, upper, scores = np.empty(arms), np.empty(arms), np.empty(arms)
    tail = tail_of(arms, params[0])
    for r in range(size):
        top, second = -math.inf, -math.inf
        for a in range(arms):
            i = a * size + r
            level[a] = level_of(pulls[i], t, tail, params[0], params[1] > 0.0) / pulls[i]
            upper[a] = upper_bound(means[i], level[a])
            second = max(second, min(upper[a], top))
            top = max(top, upper[a])
        for a in range(arms):
            i = a * size + r
            scores[a] = lower_bound(means[i], level[a]) - (second if upper[a] == top else top)
        best = choose_one(scores, arms, rng, r)
        upper[best] = -math.inf
        rival = choose_one(upper, arms, rng, r)
        arm[r] = best if pulls[best * size + r] <= pulls[rival * size + r] else rival
