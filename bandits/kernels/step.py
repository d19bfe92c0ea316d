"""The step of a bandit, and what is recorded of it: written once and pasted into the kernels that play.

L replications, a block, advance together. Replications are counted from the first of the block. Entry a * width + r of
a vector belongs to arm a of replication r; width >= L.
"""

from __future__ import annotations

import math

import numpy as np

from bandits.kernels.arguments import MOST_ROOTS
from numerics.kernels.arrays import empty, zeros
from numerics.kernels.jit import kernel
from numerics.kernels.pointers import at, pointer
from numerics.kernels.simd import LANES, bits_of, first_bit, lanes_at, lanes_of, put_lanes, select_lanes


@kernel()
def roots_up_to(pulls):
    """Return 1 / sqrt(n) for n = 0 ... pulls, float64[N], of which at most MOST_ROOTS are kept."""
    roots = empty(
        min(pulls + 1, MOST_ROOTS), np.float64
    )  # a loop: Numba compiles NumPy's arange and sqrt for half a second
    roots[0] = math.inf
    for n in range(1, roots.size):
        roots[n] = 1.0 / math.sqrt(n)
    return roots


@kernel()
def start_block(problem, streams, first, size, width, best_mean, best_arm, gaps, rng):
    """Prepare `size` replications, from `first` on, for their first pull; return whether all have the same means.

    Writes each replication's best arm, its mean, and the gaps of all arms. Writes into `rng`, uint64[8 * width], the
    streams of the pulled arms, then those of the best arms, for `numerics.random.fill_uniforms`.
    """
    arms, alike = problem.means.shape[1], True
    for r in range(size):
        best_mean[r] = -math.inf
        for a in range(arms):
            mean = problem.means[first + r, a]
            alike &= mean == problem.means[first, a]
            if mean > best_mean[r]:
                best_mean[r], best_arm[r] = mean, a
        for a in range(arms):
            gaps[a * width + r] = best_mean[r] - problem.means[first + r, a]
        for word in range(4):
            rng[word * 2 * width + r] = streams.reward[first + r, word]
            rng[(word * 2 + 1) * width + r] = streams.best[first + r, word]
    return alike


@kernel(inline=True)
def ask(score, arms, size, pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """Call a score hook, which takes pointers, with arrays."""
    score(
        arms,
        size,
        pointer(pulls, 0),
        pointer(means, 0),
        pointer(widths, 0),
        pointer(variances, 0),
        pointer(priors, 0),
        t,
        horizon,
        pointer(params, 0),
        params.size,
        pointer(rng, 0),
        pointer(out, 0),
    )


@kernel(inline=True)
def add_to_variance(pulls, sums, origins, squares, variances, i, reward):
    """Count a reward's square, before the step of `add_reward`, and write the variance of entry i.

    Deviations are those from the arm's first reward, its origin. So sums of rewards of 0, 1/2 and 1 are exact. The same
    rewards in any order have the same variance to the last bit. Otherwise rounding would decide ties. Welford's step
    has no such sums.
    """
    n = pulls[i] + 1.0
    if n == 1.0:
        origins[i] = reward
    deviation = reward - origins[i]
    squares[i] += deviation * deviation
    total = sums[i] + reward - n * origins[i]
    spread = n * squares[i] - total * total
    variances[i] = (spread if spread > 0.0 else 0.0) / (n * n)


@kernel(inline=True)
def add_reward(pulls, sums, i, means, widths, j, reward, start, weight, roots):
    """Count a reward of entry i; write its estimate, (start + rewards) / (weight + pulls), and width to entry j."""
    n, s = pulls[i] + 1.0, sums[i] + reward
    pulls[i], sums[i] = n, s
    # A table, because to take a root and divide by it would cost as much as all the rest of a step.
    means[j], widths[j] = (start + s) / (weight + n), roots[at(min(int(n), roots.size - 1))]


@kernel()
def recommend(pulls, means, by_pulls, tie_breakers, arm):
    """Write into arm[r] the arm of the highest mean, or of the most pulls.

    Ties are broken by the most pulls, or by the highest mean. Among n arms equal in both, it is number floor(n
    tie_breakers[r]).

    Shapes: pulls and means float64[K * L], tie_breakers float64[L], arm int64[L].
    """
    size = arm.size
    whole, firsts, seconds = size - size % LANES, pulls if by_pulls else means, means if by_pulls else pulls
    for r in range(0, whole, LANES):
        first, second = lanes_at(firsts, r), lanes_at(seconds, r)
        best, number, equals = lanes_of(np.uint64(0)), lanes_of(np.uint64(0)), lanes_of(0.0)
        for i in range(size + r, pulls.size, size):
            number = number + np.uint64(1)
            value, rest = lanes_at(firsts, i), lanes_at(seconds, i)
            # `second` of an arm that is worse by the first of both numbers does not count.
            rest = select_lanes(
                value > first, lanes_of(math.inf), select_lanes(first > value, lanes_of(-math.inf), rest)
            )
            best = select_lanes(rest > second, number, best)
            equals = select_lanes(rest > second, lanes_of(0.0), select_lanes(rest == second, lanes_of(1.0), equals))
            second = select_lanes(rest > second, lanes_at(seconds, i), second)
            first = select_lanes(value > first, value, first)
        put_lanes(arm, r, best)
        tied = bits_of(equals > 0.0)
        while tied:
            k = r + first_bit(tied)
            tied &= tied - 1
            arm[k] = _one_of_equals(firsts, seconds, size, k, arm[k], tie_breakers[k])
    for r in range(whole, size):
        arm[r] = 0
        for a in range(1, pulls.size // size):
            i, best_so_far = at(a * size + r), at(arm[r] * size + r)
            equal = firsts[i] == firsts[best_so_far]
            if firsts[i] > firsts[best_so_far] or (equal and seconds[i] > seconds[best_so_far]):
                arm[r] = a
        arm[r] = _one_of_equals(firsts, seconds, size, r, arm[r], tie_breakers[r])


@kernel()
def _one_of_equals(firsts, seconds, size, r, best, tie_breaker):
    """Return one of the arms that are equal to `best`, the first of them, in both numbers."""
    first, second, ties = firsts[at(best * size + r)], seconds[at(best * size + r)], 0
    for i in range(r, firsts.size, size):
        ties += firsts[i] == first and seconds[i] == second
    skip, arm = int(tie_breaker * ties), best
    for a in range(best, firsts.size // size):
        if firsts[at(a * size + r)] == first and seconds[at(a * size + r)] == second:
            if skip == 0:
                arm = a
            skip -= 1
    return arm


@kernel()
def write_checkpoint(
    record, reached, first, size, width, gaps, pulls, sums, known, means, arm, reward, best_reward_sum
):
    """Record checkpoint number `reached` of `size` replications, from `first` on; at the last one their pulls too.

    The policy knows `known` rewards of each arm, float64[K * width] as the pulls, and recommends by them and the means.
    Pseudo-regret and the sum of rewards follow from pulls and sums, so that they cost nothing between checkpoints. Not
    inline: then the callers' steps would count references to arrays, which takes a tenth of epsilon-greedy's time.
    """
    arms, regret, reward_sum = record.pulls.shape[1], zeros(width), zeros(width)
    recommended, tie_breakers = empty(width, np.int64), zeros(width)
    for r in range(size):
        tie_breakers[r] = record.tie_breakers[first + r]
    recommend(known, means, record.by_pulls, tie_breakers, recommended)
    for a in range(arms):
        for r in range(width):
            i = at(a * width + r)
            regret[r] += gaps[i] * pulls[i]
            reward_sum[r] += sums[i]
    for r in range(size):
        record.pseudo_regret[first + r, reached] = regret[r]
        record.reward_sum[first + r, reached] = reward_sum[r]
        record.best_reward_sum[first + r, reached] = best_reward_sum[r]
        record.reward[first + r, reached] = reward[r]
        record.optimal[first + r, reached] = gaps[arm[r] * width + r] == 0.0
        record.simple_regret[first + r, reached] = gaps[recommended[r] * width + r]
    if reached == record.reward.shape[1] - 1:
        for r in range(size):
            for a in range(arms):
                record.pulls[first + r, a] = int(pulls[a * width + r])
