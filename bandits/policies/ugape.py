"""UGapE."""

from __future__ import annotations

import math

from bandits.kernels.argmax import choose_one
from bandits.kernels.indices.confidence import (
    FORMULAS,
    RATES,
    common_level,
    level_of,
    lower_bound,
    write_lower_bounds,
    write_upper_bounds,
)
from bandits.policies.base import Confident
from bandits.rules import choice_rule
from bandits.spec import PolicySpec
from numerics.kernels.arrays import empty
from numerics.parameters import parameter


class UGapE(Confident, name="ugape"):
    """Of the arm of the smallest possible gap and its strongest rival the one with fewer pulls; rewards in [0, 1]."""

    rate: str = parameter(
        "mixture",
        choices=RATES,
        help="Width of the bounds: mixture for the rule chernoff, heuristic for chernoff_heuristic.",
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


@choice_rule(memory=1)
def ugape(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The one of fewer pulls of two arms. params = [delta, 1 for the heuristic rate].

    The first arm minimises the maximum of U(b) - L(a) over the other arms b. The second has the highest U among the
    others. Fewer pulls give the wider interval. The highest other U is the highest of all except for one arm. So only
    this arm and the arm with the highest L can be the first. Gabillon, Ghavamzadeh and Lazaric, "Best arm
    identification: a unified approach to fixed budget and fixed confidence", NeurIPS 2012, figure 1. `memory[0]` is a
    part of the bounds' level.
    """
    size, heuristic = arm.size, params[1] > 0.0
    arms = means.size // size
    upper, others, scores = empty(arms), empty(arms), empty(arms)
    for r in range(size):
        common = common_level(t, arms, params[0], heuristic, memory, r)
        top = write_upper_bounds(pulls, means, size, r, t, -1, common, heuristic, upper)
        high = 0
        while upper[high] < top:
            high += 1
        second = write_upper_bounds(pulls, means, size, r, t, high, common, heuristic, others)
        write_lower_bounds(pulls, means, size, r, common, heuristic, scores)
        for a in range(arms):
            scores[a] -= top
        i = high * size + r
        scores[high] = lower_bound(means[i], level_of(pulls[i], common, heuristic) / pulls[i]) - second
        best = choose_one(scores, arms, rng, r)
        upper[best] = -math.inf
        rival = choose_one(others if best == high else upper, arms, rng, r)
        arm[r] = best if pulls[best * size + r] <= pulls[rival * size + r] else rival
