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
from typing import NamedTuple

import numpy as np

from bandits.kernels.arguments import Problem, Record, Streams, full
from bandits.kernels.step import add_reward, roots_up_to, start_block, write_checkpoint
from numerics.kernels.arrays import empty, zeros
from numerics.kernels.jit import Vector, kernel
from numerics.kernels.pointers import array_at, at, pointer, pointers_of
from numerics.kernels.simd import (
    LANES,
    bits_of,
    first_bit,
    highest_of,
    lanes_at,
    lanes_of,
    put_lanes,
    select_lanes,
    total_of,
)
from numerics.random import fill_uniforms, next_uniform

_EPOCH = 64  # steps between two refreshments of all bounds; the numbers of as many are drawn at once
_TOGETHER = 4  # replications that advance together, so that the processor has several steps to work on


class Blocks(NamedTuple):
    """What is known of the arms of all replications that advance together, and of their blocks.

    An arm's place in the first three is `first` + its number, where its replication begins at `first`. So is that of a
    block, from `front` on, in the next four.
    """

    means: Vector[np.float64]  # -inf of arms that only fill the last block
    widths: Vector[np.float64]
    bounds: Vector[np.float64]  # means + B widths
    leaders: Vector[np.float64]  # the leader's mean; -inf of blocks that only fill the last lanes
    leader_widths: Vector[np.float64]
    equals: Vector[np.uint64]
    rests: Vector[np.float64]
    indices: Vector[np.float64]  # of one replication at one step: the highest index of each block
    counts: Vector[np.uint64]  # how many arms have it
    words: Vector[np.uint64]  # room for lanes


@kernel(inline=True)
def _summarise(blocks, k, begun, end):
    """Write what block k knows, that of the arms begun ... end - 1."""
    high, best, index = lanes_at(blocks.bounds, begun), lanes_of(np.uint64(begun)), lanes_of(np.uint64(begun))
    for i in range(begun + LANES, end, LANES):
        index = index + np.uint64(LANES)
        bound = lanes_at(blocks.bounds, i)
        best = select_lanes(bound > high, index, best)
        high = select_lanes(bound > high, bound, high)
    put_lanes(blocks.words, 0, best)
    lane = first_bit(bits_of(high == lanes_of(highest_of(high))))
    leader = blocks.words[at(lane)] + at(lane)
    mean, width = blocks.means[leader], blocks.widths[leader]
    equals, rest = lanes_of(np.uint64(0)), lanes_of(-math.inf)
    for i in range(begun, end, LANES):
        alike, bound = lanes_at(blocks.means, i) == lanes_of(mean), lanes_at(blocks.bounds, i)
        like = lanes_at(blocks.widths, i) == lanes_of(width)
        equals = select_lanes(alike, select_lanes(like, equals + np.uint64(1), equals), equals)
        other = select_lanes(alike, select_lanes(like, lanes_of(-math.inf), bound), bound)
        rest = select_lanes(other > rest, other, rest)
    blocks.leaders[k], blocks.leader_widths[k] = mean, width
    blocks.equals[k], blocks.rests[k] = total_of(equals), highest_of(rest)


@kernel(inline=True)
def _ask(blocks, bonus, begun, end):
    """Return the highest index of the arms begun ... end - 1, and how many of them have it."""
    high, count = lanes_of(-math.inf), lanes_of(np.uint64(0))
    for i in range(begun, end, LANES):
        index = lanes_at(blocks.means, i) + lanes_at(blocks.widths, i) * bonus
        more = select_lanes(index == high, count + np.uint64(1), count)
        count = select_lanes(index > high, lanes_of(np.uint64(1)), more)
        high = select_lanes(index > high, index, high)
    top = highest_of(high)
    return top, total_of(select_lanes(high == lanes_of(top), count, lanes_of(np.uint64(0))))


@kernel(inline=True)
def _find(blocks, bonus, begun, end, best, skip):
    """Return the arm of index `best` among arms begun ... end - 1 that has `skip` such arms before it."""
    for i in range(begun, end, LANES):
        equal = bits_of(lanes_at(blocks.means, i) + lanes_at(blocks.widths, i) * bonus == lanes_of(best))
        while equal:
            if skip == 0:
                return i + first_bit(equal)
            equal &= equal - 1
            skip -= 1
    return -1


@kernel(inline=True)
def _choose(blocks, bonus, first, size, front, room, rng):
    """Return the place of the best arm of a replication, ties broken at random by the stream at a pointer.

    Its arms begin at `first` and its blocks, of `size` arms, at `front`: `room` of them.
    """
    high = lanes_of(-math.inf)
    for k in range(0, room, LANES):
        index = lanes_at(blocks.leaders, front + k) + lanes_at(blocks.leader_widths, front + k) * bonus
        high = select_lanes(index > high, index, high)
        put_lanes(blocks.indices, k, index)
        put_lanes(blocks.counts, k, lanes_at(blocks.equals, front + k))
    best = highest_of(high)
    for k in range(0, room, LANES):
        doubtful = bits_of(lanes_of(best) > lanes_at(blocks.rests, front + k)) ^ (2**LANES - 1)
        while doubtful:
            j = k + first_bit(doubtful)
            doubtful &= doubtful - 1
            blocks.indices[j], blocks.counts[j] = _ask(blocks, bonus, first + j * size, first + (j + 1) * size)
            best = max(best, blocks.indices[j])
    none, ties = lanes_of(np.uint64(0)), lanes_of(np.uint64(0))
    for k in range(0, room, LANES):
        ties = ties + select_lanes(lanes_at(blocks.indices, k) == lanes_of(best), lanes_at(blocks.counts, k), none)
    skip = int(total_of(ties))
    skip = int(next_uniform(array_at(rng, (1, 4)), 0) * skip) if skip > 1 else 0
    j = 0
    while blocks.indices[j] != best or skip >= int(blocks.counts[j]):
        skip -= int(blocks.counts[j]) if blocks.indices[j] == best else 0
        j += 1
    return _find(blocks, bonus, first + j * size, first + (j + 1) * size, best, skip)


@kernel("void(float64[::1], int64, Problem, Streams, Record)")
def play_many_arms(
    bonuses: Vector[np.float64], explore: int, problem: Problem, streams: Streams, record: Record
) -> None:
    """Play every replication of `problem`, whose rewards are 0 and 1, and fill `record`.

    Each arm is pulled `explore` > 0 times in turn, then the arm of the highest mean + bonuses[t - 1] / sqrt(pulls).
    """
    (runs, arms), horizon, roots = problem.means.shape, bonuses.size, roots_up_to(bonuses.size)
    size = LANES * math.ceil(math.sqrt(arms) / LANES)  # of a block
    blocks = -(-arms // size)
    cells, room, together = blocks * size, blocks + -blocks % LANES, _TOGETHER
    pulls, sums, averages = zeros(together * arms), zeros(together * arms), zeros(together * arms)
    whole = Blocks(
        zeros(together * cells),
        zeros(together * cells),
        zeros(together * cells),
        full(together * room, -math.inf),
        zeros(together * room),
        zeros(together * room, np.uint64),
        full(together * room, -math.inf),
        zeros(room),
        zeros(room, np.uint64),
        zeros(LANES, np.uint64),
    )
    knows, gaps, chosen = pointers_of(whole), zeros(together * arms), empty(together, np.int64)
    best_mean, best_won, won = empty(together), empty(together), empty(together)
    rng = pointer(streams.rule, 0)
    state, uniforms = zeros(8 * together, np.uint64), empty(2 * _EPOCH * together)
    for begun in range(0, runs, together):
        here = min(together, runs - begun)
        pulls[:], sums[:], whole.means[:], whole.widths[:], best_won[:] = 0.0, 0.0, -math.inf, 0.0, 0.0
        start_block(problem, streams, begun, here, together, best_mean, chosen, gaps, state)
        reached, highest = 0, 0.0
        for step in range(horizon):
            turn, bonus = step % _EPOCH, bonuses[step]
            if turn == 0:
                fill_uniforms(state, uniforms)
            if step >= explore * arms and (step == explore * arms or turn == 0):
                highest = bonus
                for later in range(step, min(step - turn + _EPOCH, horizon)):
                    highest = max(highest, bonuses[later])
                for i in range(here * cells):
                    knows.bounds[i] = knows.means[i] + highest * knows.widths[i]
                for r in range(here):
                    for j in range(blocks):
                        _summarise(knows, r * room + j, r * cells + j * size, r * cells + (j + 1) * size)
            for r in range(here):
                first, front = r * cells, r * room
                if step < explore * arms:
                    arm = step % arms
                else:
                    arm = _choose(knows, bonus, first, size, front, room, pointer(rng, 4 * (begun + r))) - first
                drawn = 2 * together * turn + r
                won[r] = 1.0 if uniforms[drawn] < problem.means[begun + r, arm] else 0.0
                best_won[r] += 1.0 if uniforms[drawn + together] < best_mean[r] else 0.0
                i, j = at(first + arm), arm // size
                add_reward(pulls, sums, at(arm * together + r), knows.means, knows.widths, i, won[r], 0.0, 0.0, roots)
                knows.bounds[i] = knows.means[i] + highest * knows.widths[i]
                _summarise(knows, front + j, first + j * size, first + (j + 1) * size)
                chosen[r] = arm

            if step + 1 == problem.checkpoints[reached]:
                for i in range(arms * together):
                    averages[i] = sums[i] / max(pulls[i], 1.0)
                write_checkpoint(
                    record, reached, begun, here, together, gaps, pulls, sums, pulls, averages, chosen, won, best_won
                )
                reached += 1
