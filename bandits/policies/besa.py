"""BESA."""

from __future__ import annotations

import math

from bandits.policies.base import Policy
from bandits.rules import choice_rule, learn_rule, vector_rule
from numerics.kernels.jit import kernel
from numerics.random import next_uniform

# Rows of the memory: rewards so far, the last arm that has any, whether a reward was neither 0 nor 1; then all rewards,
# those of an arm together; the arms that are left in a knockout; how many rewards each arm has, from the last row on.
_REWARDS, _HIGHEST, _MIXED, _KEPT = range(4)
_EQUAL = 2.0**-40  # of two sums, relative to them: they differ by rounding only


class BESA(Policy, name="besa"):
    """Duels on equal numbers of rewards: the arm with more is judged by a random part of its own. No parameters.

    With rewards of 0 and 1, the sum of the part is drawn from its law, given the counts. Other rewards are all stored,
    and the part is drawn from them.
    """

    source = "Baransi, Maillard and Mannor 2014, BESA of two arms and its tournament"
    other_rewards = "subsamples of all rewards; proved for two arms, under conditions"
    unit_theory = True
    formula = "duel of a, b: the better mean of min(n_a, n_b) rewards of each; of more arms a knockout in random order"


@learn_rule
def besa_learn(memory, arm, reward):
    """Keep the reward with those of its arm.

    The order of an arm's rewards does not matter, so that each later arm only moves its first reward behind its last.
    """
    last = memory.shape[0] - 1
    for r in range(arm.size):
        end = _KEPT + int(memory[_REWARDS, r])
        for a in range(int(memory[_HIGHEST, r]), arm[r], -1):
            first = end - int(memory[last - a, r])
            memory[end, r] = memory[first, r]
            end = first
        memory[end, r] = reward[r]
        memory[last - arm[r], r] += 1.0
        memory[_REWARDS, r] += 1.0
        memory[_HIGHEST, r] = max(memory[_HIGHEST, r], arm[r])
        if reward[r] != 0.0 and reward[r] != 1.0:
            memory[_MIXED, r] = 1.0


@choice_rule(memory=_KEPT, pull_memory=1, arm_memory=2, learn=besa_learn)
def besa(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The winner of a knockout of duels. params = [].

    Baransi, Maillard and Mannor, Sub-sampling for multi-armed bandits, ECML 2014: BESA for two arms; of more arms,
    pairs meet in random order. At equal means the arm of fewer pulls wins.
    """
    size = arm.size
    arms = means.size // size
    left_arms = memory[memory.shape[0] - 2 * arms :]
    for r in range(size):
        for a in range(arms):
            other = int(next_uniform(rng, r) * (a + 1))
            left_arms[a, r] = left_arms[other, r]
            left_arms[other, r] = a
        left = arms
        while left > 1:
            for pair in range(left // 2):
                a, b = int(left_arms[2 * pair, r]), int(left_arms[2 * pair + 1, r])
                left_arms[pair, r] = a if first_wins(a, b, pulls, means, memory, size, rng, r) else b
            if left % 2 == 1:  # the arm without a rival comes first in the next round
                left_arms[left // 2, r] = left_arms[0, r]
                left_arms[0, r] = left_arms[left - 1, r]
            left = (left + 1) // 2
        arm[r] = int(left_arms[0, r])


@kernel()
def first_wins(a, b, pulls, means, memory, size, rng, r):
    """Return whether arm a wins a duel with arm b."""
    pulls_1, pulls_2 = pulls[a * size + r], pulls[b * size + r]
    gained_1, gained_2 = pulls_1 * means[a * size + r], pulls_2 * means[b * size + r]
    if memory[_MIXED, r] == 0.0:
        gained_1, gained_2 = math.floor(gained_1 + 0.5), math.floor(gained_2 + 0.5)
        if pulls_1 < pulls_2:
            gained_2 = hypergeometric(pulls_2, gained_2, pulls_1, rng, r)
        elif pulls_1 > pulls_2:
            gained_1 = hypergeometric(pulls_1, gained_1, pulls_2, rng, r)
    elif pulls_1 < pulls_2:
        gained_2 = part_of_rewards(b, gained_2, int(pulls_1), pulls, memory, size, rng, r)
    elif pulls_1 > pulls_2:
        gained_1 = part_of_rewards(a, gained_1, int(pulls_2), pulls, memory, size, rng, r)
    if abs(gained_1 - gained_2) > _EQUAL * (abs(gained_1) + abs(gained_2)):
        return gained_1 > gained_2
    return pulls_1 < pulls_2 or (pulls_1 == pulls_2 and next_uniform(rng, r) < 0.5)


@kernel()
def part_of_rewards(a, gained, few, pulls, memory, size, rng, r):
    """Return the sum of `few` rewards of arm a, drawn without replacement; `gained` is the sum of all.

    The drawn rewards change places with the first ones. If most are drawn, the others are drawn instead.
    """
    many, first = int(pulls[a * size + r]), _KEPT
    for b in range(a):
        first += int(pulls[b * size + r])
    drawn, total = min(few, many - few), 0.0
    for k in range(drawn):
        other = first + k + int(next_uniform(rng, r) * (many - k))
        reward = memory[other, r]
        memory[other, r] = memory[first + k, r]
        memory[first + k, r] = reward
        total += reward
    return total if drawn == few else gained - total


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


@vector_rule
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
