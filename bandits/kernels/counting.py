"""A faster simulation kernel for what most runs are: rewards of 0 and 1, and a bonus rule: m + b(t) / sqrt(n).

It pulls the arms that `bandits.kernels.general` pulls, to the last one, in half of the time. To choose an arm
takes fewer bits than its index has:

    likely    The indices in float32, sixteen replications at once. Finds the highest, and whether another may equal it.
    decide    In one choice of a hundred another may. Compares the exact indices of those arms; ties go to a random one.
    pull      An arm's pulls and successes are two halves of one word. Its mean is s w w, where w = 1 / sqrt(n).

An index in float32 is wrong by at most 5 units in its last place. Its two terms are not negative. The first is four
roundings away from the exact one, the second three, and their sum adds one more. Its last bits are replaced by the
number of the arm. The bit patterns of such floats are ordered as they are, so the maximum of these whole numbers also
gives the arm. With B >= 8 possible numbers, two indices more than 3 B units apart are in the right order: 2 * 5 + 2
(B - 1) <= 3 B. In the same way an arm whose index is more than 4 B units below the highest cannot be the best one.
"""

from __future__ import annotations

import math

import numpy as np

from bandits.kernels.arguments import MOST_ROOTS, Problem, Record, Streams, bonus_at
from bandits.kernels.step import roots_up_to, start_block, write_checkpoint
from numerics.kernels.arrays import empty, same_bits, zeros
from numerics.kernels.jit import Vector, kernel
from numerics.kernels.pointers import at
from numerics.kernels.simd import (
    LANES,
    SHORT_LANES,
    as_bits,
    bits_of,
    first_bit,
    fused_or_not,
    lanes_at,
    lanes_of,
    put_lanes,
    select_lanes,
)
from numerics.random import fill_words, next_uniform

BLOCK = 64  # replications that advance together; a constant, which the compiler knows, is 4 % faster
MOST_ARMS = 64  # more would take more bits of an index, and be a set of more than a word
LONGEST = MOST_ROOTS - 1  # of the horizons: the roots of all counts are kept
HIGHEST = 2.0**60  # of the bonuses: far from where float32 ends
_AT_ONCE = 4  # steps whose words are drawn together
_PULL, _SUCCESSES = 2**32, 2**32 - 1  # one pull of a count; the half of it that counts successes
_CERTAIN = 2.0**53  # what a word of 53 bits is compared with where success is certain


@kernel("void(int64, int64, float64[::1], float64[::1])")
def write_bonuses(bonus, first, params, out):
    """Write b of all steps from `first` on; `bonus` is the address of its hook."""
    b = bonus_at(bonus)
    for step in range(first, out.size):
        out[step] = b(step + 1.0, params)


@kernel(inline=True)
def _likely(means, widths, bonus, names, last, top, lanes):
    """Write the highest index of each replication, and the arm in its last bits; return the doubtful ones, as bits."""
    doubtful = 0
    kept, close = np.int32(~last), np.int32(3 * (last + 1) + 1)
    for r in range(0, lanes, SHORT_LANES):
        high, second = lanes_of(np.int32(0)), lanes_of(np.int32(0))
        for a in range(names.size):
            i = a * BLOCK + r
            index = as_bits(fused_or_not(lanes_at(widths, i), lanes_of(bonus), lanes_at(means, i)))
            index = (index & kept) | names[a]
            low = select_lanes(high > index, index, high)
            second = select_lanes(low > second, low, second)
            high = select_lanes(high > index, high, index)
        put_lanes(top, r, high)
        doubtful |= bits_of(lanes_of(close) > high - second) << r
    return doubtful


@kernel(inline=True)
def _decide(counts, means, widths, bonus, roots, last, top, r, rng):
    """Return the best arm of replication r by exact indices, at random among equals."""
    single, lowest = np.float32(bonus), (top | last) - 4 * (last + 1)
    close, best, equal, ties = 0, -math.inf, 0, 0
    for a in range(means.size // BLOCK):
        index = means[at(a * BLOCK + r)] + single * widths[at(a * BLOCK + r)]
        close |= int(same_bits(np.float32(index), np.int32) >= lowest) << a
    while close:
        a = first_bit(close)
        close &= close - 1
        count = counts[at(a * BLOCK + r)]
        n = at(count >> 32)
        score = (count & _SUCCESSES) / float(n) + bonus * roots[n]
        equal = 1 << a if score > best else equal | int(score == best) << a
        best = max(best, score)
    more = equal
    while more:
        more &= more - 1
        ties += 1
    if ties > 1:
        for _ in range(int(next_uniform(rng, r) * ties)):
            equal &= equal - 1
    return first_bit(equal)


@kernel("void(float64[::1], int64, Problem, Streams, Record)")
def play_counting(
    bonuses: Vector[np.float64], explore: int, problem: Problem, streams: Streams, record: Record
) -> None:
    """Play every replication of `problem`, whose rewards are 0 and 1, and fill `record`.

    Each arm is pulled `explore` > 0 times in turn, then the arm of the highest mean + bonuses[t - 1] / sqrt(pulls).
    """
    runs, arms = problem.means.shape
    roots = roots_up_to(bonuses.size)
    single_roots = empty(roots.size, np.float32)
    for n in range(roots.size):
        single_roots[n] = roots[n]
    last = 7  # the last bits of an index, which name its arm
    while last + 1 < arms:
        last = 2 * last + 1
    names, column = empty(arms, np.int32), empty(BLOCK, np.int32)
    for a in range(arms):
        names[a] = a
    for r in range(BLOCK):
        column[r] = r
    cells = arms * BLOCK
    for first in range(0, runs, BLOCK):
        size = min(BLOCK, runs - first)
        played = -1 if size == BLOCK else (1 << size) - 1  # a bit for each of them
        lanes = size + -size % SHORT_LANES  # those behind the last replication are played, but not written down
        counts, gaps, pulls, sums = zeros(cells, np.int64), zeros(cells), zeros(cells), zeros(cells)
        means, widths = zeros(cells, np.float32), zeros(cells, np.float32)
        top, cell = zeros(BLOCK, np.int32), zeros(BLOCK, np.int32)
        averages = zeros(cells)
        arm, best_mean, reward = zeros(BLOCK, np.int64), zeros(BLOCK), zeros(BLOCK)
        best_sum, best_limit = zeros(BLOCK, np.uint64), zeros(BLOCK, np.uint64)
        limits = zeros(cells, np.uint64)  # [replication, arm]: a word below it is a success
        # First the pulled arms of all replications, then their best arms: one pass draws for both.
        rng, words = zeros(8 * BLOCK, np.uint64), zeros(_AT_ONCE * 2 * BLOCK, np.uint64)
        rule_rng = streams.rule[first : first + size]
        alike = start_block(problem, streams, first, size, BLOCK, best_mean, arm, gaps, rng)
        for r in range(size):
            for a in range(arms):
                limits[r * arms + a] = np.uint64(math.ceil(problem.means[first + r, a] * _CERTAIN))
            best_limit[r] = np.uint64(math.ceil(best_mean[r] * _CERTAIN))
        apart = 0 if alike else arms  # one row of limits serves all
        reached = 0
        for step in range(bonuses.size):
            if step < explore * arms:
                top[:] = step % arms
            else:
                bonus = bonuses[step]
                doubtful = _likely(means, widths, np.float32(bonus), names, last, top, lanes) & played
                while doubtful:
                    r = first_bit(doubtful)
                    doubtful &= doubtful - 1
                    top[r] = _decide(counts, means, widths, bonus, roots, last, top[r], r, rule_rng)
            for r in range(0, lanes, SHORT_LANES):
                put_lanes(cell, r, (lanes_at(top, r) & np.int32(last)) * np.int32(BLOCK) + lanes_at(column, r))
            if step % _AT_ONCE == 0:
                fill_words(rng, words)
            begun = step % _AT_ONCE * 2 * BLOCK
            for r in range(lanes):
                i = at(cell[at(r)])
                won = words[at(begun + r)] < limits[at(r * apart) + i // at(BLOCK)]
                count = counts[i] + _PULL + won
                counts[i] = count
                w = single_roots[at(count >> 32)]
                means[i], widths[i] = np.float32(count & _SUCCESSES) * w * w, w
            for r in range(0, lanes, LANES):
                won = lanes_at(best_limit, r) > lanes_at(words, begun + BLOCK + r)
                won = select_lanes(won, lanes_of(np.uint64(1)), lanes_of(np.uint64(0)))
                put_lanes(best_sum, r, lanes_at(best_sum, r) + won)

            if step + 1 == problem.checkpoints[reached]:
                for i in range(cells):
                    pulls[i], sums[i] = float(counts[i] >> 32), float(counts[i] & _SUCCESSES)
                    averages[i] = sums[i] / max(pulls[i], 1.0)
                for r in range(size):
                    arm[r] = top[r] & last
                    reward[r] = words[begun + r] < limits[r * apart + arm[r]]
                write_checkpoint(
                    record, reached, first, size, BLOCK, gaps, pulls, sums, pulls, averages, arm, reward, best_sum
                )
                reached += 1
