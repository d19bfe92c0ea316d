"""UCB1 in NumPy, vectorised over replications: what one would write without compiled code.

`plain` and `plain_arms_first` do the work of a step of our kernel. They compute the index m + sqrt(2 ln t / n) and
break ties at random. They draw a uniform for the reward and an independent reward of the best arm, and update pulls and
means. They record regret and sums of rewards of every replication at the same checkpoints. They differ in the layout:
(replication, arm) is what one writes first, (arm, replication) is what NumPy reduces faster.

`lean` and `packed` keep only what the mean regret needs, and use all techniques we know. All arrays are made before the
loop, and operations are in place. 1 / sqrt(n) and the mean are kept for each arm, and updated only for pulled arms.
Uniforms are drawn as float32 for 64 steps at once. Equal indices go to the lowest arm. `packed` computes the index in
float32 and writes the number of the arm into its last bits. A plain maximum over the rows then gives the arm, because
positive floats are ordered as their bits are. It loses those bits, and equal indices go to the highest arm.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_DRAWN = 64  # steps whose uniforms the lean loops draw at once


class Curves(NamedTuple):
    """Values at the checkpoints, float64 of shape (replications, checkpoints)."""

    pseudo_regret: Floats
    reward_sum: Floats
    best_reward_sum: Floats


def plain(means: Floats, horizon: int, runs: int, checkpoints: npt.NDArray[np.int64], seed: int) -> Curves:
    """Play UCB1 with statistics of shape (replication, arm)."""
    rng = np.random.default_rng(seed)
    best = means.max()
    pulls, sums, averages = np.zeros((runs, means.size)), np.zeros((runs, means.size)), np.zeros((runs, means.size))
    reward_sum, best_reward_sum, row = np.zeros(runs), np.zeros(runs), np.arange(runs)
    curves, reached = Curves(*(np.empty((runs, checkpoints.size)) for _ in Curves._fields)), 0
    for t in range(1, horizon + 1):
        if t <= means.size:
            arm = np.full(runs, t - 1)
        else:
            index = averages + np.sqrt(2.0 * math.log(t) / pulls)
            equal = index == index.max(axis=1, keepdims=True)
            arm = equal.argmax(axis=1)
            tied = np.flatnonzero(equal.sum(axis=1) > 1)
            if tied.size:
                arm[tied] = np.where(equal[tied], rng.random((tied.size, means.size)), -1.0).argmax(axis=1)
        reward = (rng.random(runs) < means[arm]).astype(np.float64)
        best_reward = (rng.random(runs) < best).astype(np.float64)
        pulls[row, arm] += 1.0
        sums[row, arm] += reward
        averages[row, arm] = sums[row, arm] / pulls[row, arm]
        reward_sum += reward
        best_reward_sum += best_reward
        if t == checkpoints[reached]:
            curves.pseudo_regret[:, reached] = pulls @ (best - means)
            curves.reward_sum[:, reached], curves.best_reward_sum[:, reached] = reward_sum, best_reward_sum
            reached += 1
    return curves


def plain_arms_first(means: Floats, horizon: int, runs: int, checkpoints: npt.NDArray[np.int64], seed: int) -> Curves:
    """Play UCB1 with statistics of shape (arm, replication)."""
    rng = np.random.default_rng(seed)
    best = means.max()
    pulls, sums, averages = np.zeros((means.size, runs)), np.zeros((means.size, runs)), np.zeros((means.size, runs))
    reward_sum, best_reward_sum, column = np.zeros(runs), np.zeros(runs), np.arange(runs)
    curves, reached = Curves(*(np.empty((runs, checkpoints.size)) for _ in Curves._fields)), 0
    for t in range(1, horizon + 1):
        if t <= means.size:
            arm = np.full(runs, t - 1)
        else:
            index = averages + np.sqrt(2.0 * math.log(t) / pulls)
            equal = index == index.max(axis=0)
            arm = equal.argmax(axis=0)
            tied = np.flatnonzero(equal.sum(axis=0) > 1)
            if tied.size:
                arm[tied] = np.where(equal[:, tied], rng.random((means.size, tied.size)), -1.0).argmax(axis=0)
        reward = (rng.random(runs) < means[arm]).astype(np.float64)
        best_reward = (rng.random(runs) < best).astype(np.float64)
        pulls[arm, column] += 1.0
        sums[arm, column] += reward
        averages[arm, column] = sums[arm, column] / pulls[arm, column]
        reward_sum += reward
        best_reward_sum += best_reward
        if t == checkpoints[reached]:
            curves.pseudo_regret[:, reached] = (best - means) @ pulls
            curves.reward_sum[:, reached], curves.best_reward_sum[:, reached] = reward_sum, best_reward_sum
            reached += 1
    return curves


def lean(means: Floats, horizon: int, runs: int, checkpoints: npt.NDArray[np.int64], seed: int) -> Floats:
    """Return the mean pseudo-regret of UCB1 at the checkpoints, with exact indices."""
    rng = np.random.default_rng(seed)
    arms, gaps = means.size, means.max() - means
    pulls, sums, averages, widths = (np.zeros(arms * runs) for _ in range(4))
    index, table = np.empty((arms, runs)), np.repeat(means, runs).astype(np.float32)
    rows = averages.reshape(arms, runs), widths.reshape(arms, runs), pulls.reshape(arms, runs)
    arm, cell, column = np.empty(runs, np.intp), np.empty(runs, np.intp), np.arange(runs)
    drawn, hit = np.empty((_DRAWN, runs), np.float32), np.empty(runs, np.bool_)
    count, total, curve, reached = np.empty(runs), np.empty(runs), np.empty(checkpoints.size), 0
    for t in range(1, horizon + 1):
        if t % _DRAWN == 1:
            rng.random(out=drawn, dtype=np.float32)
        if t <= arms:
            arm[:] = t - 1
        else:
            np.multiply(rows[1], math.sqrt(2.0 * math.log(t)), out=index)
            np.add(index, rows[0], out=index)
            np.argmax(index, axis=0, out=arm)
        np.multiply(arm, runs, out=cell)
        np.add(cell, column, out=cell)
        np.less(drawn[(t - 1) % _DRAWN], table[cell], out=hit)
        np.take(pulls, cell, out=count)
        np.take(sums, cell, out=total)
        count += 1.0
        total += hit
        pulls[cell], sums[cell] = count, total
        total /= count
        np.sqrt(count, out=count)
        np.reciprocal(count, out=count)
        averages[cell], widths[cell] = total, count
        if t == checkpoints[reached]:
            curve[reached] = gaps @ rows[2].mean(axis=1)
            reached += 1
    return curve


def packed(means: Floats, horizon: int, runs: int, checkpoints: npt.NDArray[np.int64], seed: int) -> Floats:
    """Return the mean pseudo-regret of UCB1 at the checkpoints; the last bits of an index name its arm."""
    rng = np.random.default_rng(seed)
    arms, gaps, single = means.size, means.max() - means, np.float32
    pulls, sums, averages, widths = (np.zeros(arms * runs, single) for _ in range(4))
    index, top, table = np.empty((arms, runs), single), np.empty(runs, single), np.repeat(means, runs).astype(single)
    rows = averages.reshape(arms, runs), widths.reshape(arms, runs), pulls.reshape(arms, runs)
    last = np.int32((1 << int(arms - 1).bit_length()) - 1)
    names = np.repeat(np.arange(arms, dtype=np.int32), runs).reshape(arms, runs)
    bits, top_bits = index.view(np.int32), top.view(np.int32)
    arm, cell, column = np.empty(runs, np.int32), np.empty(runs, np.intp), np.arange(runs)
    drawn, hit = np.empty((_DRAWN, runs), single), np.empty(runs, np.bool_)
    count, total = np.empty(runs, single), np.empty(runs, single)
    curve, reached = np.empty(checkpoints.size), 0
    for t in range(1, horizon + 1):
        if t % _DRAWN == 1:
            rng.random(out=drawn, dtype=single)
        if t <= arms:
            arm[:] = t - 1
        else:
            np.multiply(rows[1], single(math.sqrt(2.0 * math.log(t))), out=index)
            np.add(index, rows[0], out=index)
            np.bitwise_and(bits, ~last, out=bits)
            np.bitwise_or(bits, names, out=bits)
            np.maximum.reduce(index, axis=0, out=top)
            np.bitwise_and(top_bits, last, out=arm)
        np.multiply(arm, runs, out=cell)
        np.add(cell, column, out=cell)
        np.less(drawn[(t - 1) % _DRAWN], table[cell], out=hit)
        np.take(pulls, cell, out=count)
        np.take(sums, cell, out=total)
        count += single(1.0)
        total += hit
        pulls[cell], sums[cell] = count, total
        total /= count
        np.sqrt(count, out=count)
        np.reciprocal(count, out=count)
        averages[cell], widths[cell] = total, count
        if t == checkpoints[reached]:
            curve[reached] = gaps @ rows[2].mean(axis=1)
            reached += 1
    return curve
