"""A simulation kernel for many arms: rewards of 0 and 1, and a bonus rule, m + b(t) / sqrt(n); it asks few of the arms.

It pulls the arms that `bandits.kernels.general` pulls, to the last one. An arm that is not pulled keeps m and n, so
that its index moves with b alone. About sqrt(K) arms are a block, which knows

    leader    Its arm with the highest bound m + B / sqrt(n). B is the largest b of the epoch of `_EPOCH` steps.
    equals    How many of its arms have the leader's m and n, hence its index at every t. Such ties are frequent here.
    rest      The highest bound of its other arms.

A step computes the indices of the leaders. A block whose `rest` is below the highest of them has no better arm than its
leader. Rounding keeps the order of products and sums of floats, so that no index exceeds its bound, whatever b does.
Nearly all blocks are of this kind. In the others every arm is evaluated. The work of a step grows with sqrt(K).
"""

from __future__ import annotations

import math

import numpy as np

from bandits.kernels.arguments import Problem, Record, Streams, row
from bandits.kernels.step import add_reward, roots_up_to, start_block, write_checkpoint
from numerics.kernels.jit import Vector, kernel
from numerics.kernels.pointers import at
from numerics.kernels.simd import LANES, bits_of, first_bit, highest_of, lanes_at, lanes_of, put_lanes, total_of, where
from numerics.random import fill_uniforms, next_uniform

_EPOCH = 64  # steps between two refreshments of all bounds; the numbers of as many are drawn at once
_TOGETHER = 4  # replications that advance together, so that the processor has several steps to work on


@kernel(inline=True)
def _summarise(means, widths, bounds, begun, end, words):
    """Return what the block of arms begun ... end - 1 knows: the leader's mean and width, equals and rest."""
    high, best, index = lanes_at(bounds, begun), lanes_of(np.uint64(begun)), lanes_of(np.uint64(begun))
    for i in range(begun + LANES, end, LANES):
        index = index + np.uint64(LANES)
        bound = lanes_at(bounds, i)
        best = where(bound > high, index, best)
        high = where(bound > high, bound, high)
    put_lanes(words, 0, best)
    lane = first_bit(bits_of(high == lanes_of(highest_of(high))))
    leader = words[at(lane)] + at(lane)
    mean, width = means[leader], widths[leader]
    equals, rest = lanes_of(np.uint64(0)), lanes_of(-math.inf)
    for i in range(begun, end, LANES):
        alike, bound = lanes_at(means, i) == lanes_of(mean), lanes_at(bounds, i)
        like = lanes_at(widths, i) == lanes_of(width)
        equals = where(alike, where(like, equals + np.uint64(1), equals), equals)
        other = where(alike, where(like, lanes_of(-math.inf), bound), bound)
        rest = where(other > rest, other, rest)
    return mean, width, total_of(equals), highest_of(rest)


@kernel(inline=True)
def _ask(means, widths, bonus, begun, end):
    """Return the highest index of the arms begun ... end - 1, and how many of them have it."""
    high, count = lanes_of(-math.inf), lanes_of(np.uint64(0))
    for i in range(begun, end, LANES):
        index = lanes_at(means, i) + lanes_at(widths, i) * bonus
        more = where(index == high, count + np.uint64(1), count)
        count = where(index > high, lanes_of(np.uint64(1)), more)
        high = where(index > high, index, high)
    top = highest_of(high)
    return top, total_of(where(high == lanes_of(top), count, lanes_of(np.uint64(0))))


@kernel(inline=True)
def _find(means, widths, bonus, begun, end, best, skip):
    """Return the arm of index `best` among arms begun ... end - 1 that has `skip` such arms before it."""
    for i in range(begun, end, LANES):
        equal = bits_of(lanes_at(means, i) + lanes_at(widths, i) * bonus == lanes_of(best))
        while equal:
            if skip == 0:
                return i + first_bit(equal)
            equal &= equal - 1
            skip -= 1
    return -1


@kernel("void(float64[::1], int64, Problem, Streams, Record)")
def play(bonuses: Vector[np.float64], explore: int, problem: Problem, streams: Streams, record: Record) -> None:
    """Play every replication of `problem`, whose rewards are 0 and 1, and fill `record`.

    Each arm is pulled `explore` > 0 times in turn, then the arm of the highest mean + bonuses[t - 1] / sqrt(pulls).
    """
    (runs, arms), horizon, roots = problem.means.shape, bonuses.size, roots_up_to(bonuses.size)
    size = LANES * math.ceil(math.sqrt(arms) / LANES)  # of a block
    blocks = -(-arms // size)
    cells, room, together = blocks * size, blocks + -blocks % LANES, _TOGETHER
    pulls, sums, averages = row(together * arms, 0.0), row(together * arms, 0.0), row(together * arms, 0.0)
    means, widths, bounds = row(together * cells, 0.0), row(together * cells, 0.0), row(together * cells, 0.0)
    gaps = row(together * arms, 0.0)
    leaders, leader_widths = row(together * room, -math.inf), row(together * room, 0.0)
    equals, rests = row(together * room, 0.0).view(np.uint64), row(together * room, -math.inf)
    indices, counts = row(room, 0.0), row(room, 0.0).view(np.uint64)
    words = row(LANES, 0.0).view(np.uint64)
    best_mean, best_reward_sum, won = np.empty(together), np.empty(together), np.empty(together)
    chosen = np.empty(together, np.int64)
    state, uniforms = np.zeros(8 * together, np.uint64), np.empty(2 * _EPOCH * together)
    for begun in range(0, runs, together):
        runs_here = min(together, runs - begun)
        pulls[:], sums[:], means[:], widths[:], best_reward_sum[:] = 0.0, 0.0, -math.inf, 0.0, 0.0
        start_block(problem, streams, begun, runs_here, together, best_mean, chosen, gaps, state)
        reached, highest = 0, 0.0
        for step in range(horizon):
            turn = step % _EPOCH
            if turn == 0:
                fill_uniforms(state, uniforms)
            if step >= explore * arms and (step == explore * arms or turn == 0):
                highest = bonuses[step]
                for later in range(step, min(step - turn + _EPOCH, horizon)):
                    highest = max(highest, bonuses[later])
                for i in range(runs_here * cells):
                    bounds[i] = means[i] + highest * widths[i]
                for r in range(runs_here):
                    for j in range(blocks):
                        i, k = r * cells + j * size, r * room + j
                        leaders[k], leader_widths[k], equals[k], rests[k] = _summarise(
                            means, widths, bounds, i, i + size, words
                        )
            bonus = bonuses[step]
            for r in range(runs_here):
                first, front = r * cells, r * room
                if step < explore * arms:
                    arm = step % arms
                else:
                    high = lanes_of(-math.inf)
                    for k in range(0, room, LANES):
                        index = lanes_at(leaders, front + k) + lanes_at(leader_widths, front + k) * bonus
                        high = where(index > high, index, high)
                        put_lanes(indices, k, index)
                        put_lanes(counts, k, lanes_at(equals, front + k))
                    best = highest_of(high)
                    for k in range(0, room, LANES):
                        doubtful = bits_of(lanes_of(best) > lanes_at(rests, front + k)) ^ (2**LANES - 1)
                        while doubtful:
                            j = k + first_bit(doubtful)
                            doubtful &= doubtful - 1
                            i = first + j * size
                            indices[j], counts[j] = _ask(means, widths, bonus, i, i + size)
                            best = max(best, indices[j])
                    none, ties = lanes_of(np.uint64(0)), lanes_of(np.uint64(0))
                    for k in range(0, room, LANES):
                        ties = ties + where(lanes_at(indices, k) == lanes_of(best), lanes_at(counts, k), none)
                    skip = int(total_of(ties))
                    skip = int(next_uniform(streams.rule, begun + r) * skip) if skip > 1 else 0
                    j = 0
                    while indices[j] != best or skip >= int(counts[j]):
                        skip -= int(counts[j]) if indices[j] == best else 0
                        j += 1
                    i = first + j * size
                    arm = _find(means, widths, bonus, i, i + size, best, skip) - first
                drawn = 2 * together * turn + r
                won[r] = 1.0 if uniforms[drawn] < problem.means[begun + r, arm] else 0.0
                best_reward_sum[r] += 1.0 if uniforms[drawn + together] < best_mean[r] else 0.0
                i = at(first + arm)
                add_reward(pulls, sums, at(arm * together + r), means, widths, i, won[r], 0.0, 0.0, roots)
                bounds[i] = means[i] + highest * widths[i]
                j = arm // size
                i = first + j * size
                leaders[front + j], leader_widths[front + j], equals[front + j], rests[front + j] = _summarise(
                    means, widths, bounds, i, i + size, words
                )
                chosen[r] = arm

            if step + 1 == problem.checkpoints[reached]:
                for i in range(arms * together):
                    averages[i] = sums[i] / max(pulls[i], 1.0)
                write_checkpoint(
                    record,
                    reached,
                    begun,
                    runs_here,
                    together,
                    gaps,
                    pulls,
                    sums,
                    pulls,
                    averages,
                    chosen,
                    won,
                    best_reward_sum,
                )
                reached += 1
