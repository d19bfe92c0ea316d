"""The kernel of best-arm identification: every replication pulls until a stopping rule says that it is sure.

Replications end at different times, so they are played one after another, each as `bandits.kernels.general` plays it:

    choose  ->  reward of the pulled arm  ->  statistics of one arm  ->  stop?

The same seed gives the same pulls as there, up to the one at which a replication ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.kernels.agent import choose, new_state, update
from bandits.kernels.arguments import Hooks, KernelSpec, Streams, law_at, stop_at
from bandits.kernels.step import recommend
from numerics.kernels.arrays import zeros
from numerics.kernels.jit import Matrix, Vector, kernel
from numerics.kernels.pointers import pointers_of
from numerics.random import next_uniform


class Race(NamedTuple):
    """What is played, and until when."""

    means: Matrix[np.float64]  # [R, K]
    params: Matrix[np.float64]  # [K, P], the numbers of the law, a row an arm
    stop_params: Vector[np.float64]  # [...], the stopping rule's own numbers
    most: int  # pulls after which a replication ends without being sure
    by_pulls: bool  # recommend the arm of the most pulls, and of these that of the highest mean; else the reverse
    tie_breakers: Vector[np.float64]  # [R], uniform on (0, 1): which of the arms that are equal in both is recommended


class Finish(NamedTuple):
    """How each replication ended."""

    pulls: Matrix[np.int64]  # [R, K]
    arm: Vector[np.int64]  # [R], the recommendation
    sure: Vector[np.uint8]  # [R], whether the stopping rule ended it


@kernel("int64(Hooks, int64, int64, KernelSpec, Race, Streams, Finish)")
def play_until_sure(
    hooks: Hooks, law: int, stop: int, spec: KernelSpec, race: Race, streams: Streams, finish: Finish
) -> int:
    """Play every replication of `race` until its rule stops it, and fill `finish`; hooks are given by address.

    Returns 0, or the first t at which a score was NaN: then nothing that was filled in is worth anything.
    """
    pay, must_stop = law_at(law), stop_at(stop)
    runs, arms = race.means.shape
    uniform, target, reward, arm = zeros(1), zeros(1), zeros(1), zeros(1, np.int64)
    for run in range(runs):
        state = new_state(spec, arms, streams.rule[run : run + 1])
        known = pointers_of(state)
        paying, sure, step = streams.reward[run : run + 1], False, 0
        while step < race.most and not sure:
            arm[0] = choose(hooks, spec, known, step)
            step += 1
            if arm[0] < 0:
                return step
            uniform[0], target[0] = next_uniform(paying, 0), race.means[run, arm[0]]
            pay(uniform, target, arm, race.params, reward)
            update(hooks, spec, known, arm[0], reward[0])
            sure = step >= arms and must_stop(state.pulls, state.means, state.variances, step + 0.0, race.stop_params)
        for a in range(arms):
            finish.pulls[run, a] = int(state.pulls[a])
        recommend(state.pulls, state.means, race.by_pulls, race.tie_breakers[run : run + 1], arm)
        finish.arm[run], finish.sure[run] = arm[0], sure
    return 0
