"""BESA."""

from __future__ import annotations

import math

from bandits.policies.base import Policy
from bandits.rules import choice_rule, index_rule
from bandits.spec import PolicySpec
from numerics.kernels.jit import kernel
from numerics.random import next_uniform

_WHOLE = 1e-6  # allowed distance of a sum of rewards of 0 and 1 from a whole number


class BESA(Policy, name="besa"):
    """Duels on equal numbers of rewards: the arm with more is judged by a random part of its own. No parameters.

    For rewards of 0 and 1, where a random part follows from the counts; another sum of rewards is rounded at random.
    """

    source = "Baransi, Maillard and Mannor 2014, BESA of two arms and its tournament"
    unit_rewards = True

    @property
    def formula(self) -> str:
        return "duel of a, b: the better mean of min(n_a, n_b) rewards of each; of more arms a knockout in random order"

    def spec(self) -> PolicySpec:
        return PolicySpec(besa, chances=besa_chances)


@choice_rule(arm_memory=1)
def besa(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The winner of a knockout of duels. params = [].

    Baransi, Maillard and Mannor, Sub-sampling for multi-armed bandits, ECML 2014: BESA for two arms; of more arms,
    pairs meet in random order. At equal means the arm of fewer pulls wins. The memory is the list of the remaining
    arms.
    """
    size = arm.size
    arms = means.size // size
    for r in range(size):
        for a in range(arms):
            other = int(next_uniform(rng, r) * (a + 1))
            memory[a, r] = memory[other, r]
            memory[other, r] = a
        left = arms
        while left > 1:
            for pair in range(left // 2):
                i, j = int(memory[2 * pair, r]) * size + r, int(memory[2 * pair + 1, r]) * size + r
                first = first_wins(pulls[i], means[i], pulls[j], means[j], rng, r)
                memory[pair, r] = memory[2 * pair, r] if first else memory[2 * pair + 1, r]
            if left % 2 == 1:  # the arm without a rival comes first in the next round
                memory[left // 2, r] = memory[0, r]
                memory[0, r] = memory[left - 1, r]
            left = (left + 1) // 2
        arm[r] = int(memory[0, r])


@kernel()
def first_wins(pulls_1, mean_1, pulls_2, mean_2, rng, r):
    """Return whether the first arm wins a duel."""
    gained_1, gained_2 = whole(pulls_1 * mean_1, rng, r), whole(pulls_2 * mean_2, rng, r)
    if pulls_1 == pulls_2:
        return gained_1 > gained_2 or (gained_1 == gained_2 and next_uniform(rng, r) < 0.5)
    if pulls_1 < pulls_2:
        return hypergeometric(pulls_2, gained_2, pulls_1, rng, r) <= gained_1
    return hypergeometric(pulls_1, gained_1, pulls_2, rng, r) > gained_2


@kernel()
def whole(gained, rng, r):
    """Return a sum of rewards as a whole number, rounded up or down at random."""
    near = math.floor(gained + 0.5)
    return near if abs(gained - near) < _WHOLE else math.floor(gained + next_uniform(rng, r))


@kernel()
def hypergeometric_mass(many, gained, few, k):
    """Return the probability that `few` of `many` rewards, of which `gained` are 1, hold k ones."""
    rest = many - gained
    return math.exp(
        math.lgamma(gained + 1.0)
        - math.lgamma(k + 1.0)
        - math.lgamma(gained - k + 1.0)
        + math.lgamma(rest + 1.0)
        - math.lgamma(few - k + 1.0)
        - math.lgamma(rest - few + k + 1.0)
        - math.lgamma(many + 1.0)
        + math.lgamma(few + 1.0)
        + math.lgamma(many - few + 1.0)
    )


@kernel()
def hypergeometric(many, gained, few, rng, r):
    """Draw the number of ones among `few` of `many` rewards, of which `gained` are 1: by inversion, from the mode."""
    rest = many - gained
    low, high = max(0.0, few - rest), min(few, gained)
    if low == high:
        return low
    up = min(max(math.floor((few + 1.0) * (gained + 1.0) / (many + 2.0)), low), high)
    u, mass = next_uniform(rng, r), hypergeometric_mass(many, gained, few, up)
    mode, down, mass_down = up, up, mass
    u -= mass
    while u >= 0.0 and (up < high or down > low):
        if up < high:
            mass *= (gained - up) * (few - up) / ((up + 1.0) * (rest - few + up + 1.0))
            up += 1.0
            u -= mass
            if u < 0.0:
                return up
        if down > low:
            mass_down *= down * (rest - few + down) / ((gained - down + 1.0) * (few - down + 1.0))
            down -= 1.0
            u -= mass_down
            if u < 0.0:
                return down
    return mode


@index_rule
def besa_chances(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """Write the probability that each of two arms wins, for rewards of 0 and 1; NaN for more arms. params = []."""
    size = rng.shape[0]
    if out.size != 2 * size:
        out[:] = math.nan
        return
    for r in range(size):
        n, many = pulls[r], pulls[size + r]
        gained, others = math.floor(n * means[r] + 0.5), math.floor(many * means[size + r] + 0.5)
        if n == many:
            wins = 0.5 * ((gained > others) + 1.0 - (others > gained))
        elif n < many:
            wins = hypergeometric_up_to(many, others, n, gained)
        else:
            wins = 1.0 - hypergeometric_up_to(n, gained, many, others)
        out[r], out[size + r] = wins, 1.0 - wins


@kernel()
def hypergeometric_up_to(many, gained, few, most):
    """Return the probability of at most `most` ones among `few` of `many` rewards, of which `gained` are 1."""
    rest = many - gained
    k, high = max(0.0, few - rest), min(few, gained)
    if most < k:
        return 0.0
    if most >= high:
        return 1.0
    mass = hypergeometric_mass(many, gained, few, k)
    total = mass
    while k < most:
        mass *= (gained - k) * (few - k) / ((k + 1.0) * (rest - few + k + 1.0))
        k += 1.0
        total += mass
    return min(total, 1.0)
