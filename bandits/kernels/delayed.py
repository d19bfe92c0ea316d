"""The simulation kernel for rewards that come late: a replication after another, with a queue of what is on its way.

A policy knows only the rewards that have arrived. The statistics and the memory contain these alone, in the order of
their arrival. Regret is that of all pulls.

The reward of step s (from 0 on) with delay d is known from step s + d + 1 on. Rewards that arrive at the end of the
same step form a list in the order of their pulls. The lists are stored in rings of the longest delay plus 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bandits.kernels.agent import choose, new_state, update
from bandits.kernels.arguments import Delays, Hooks, KernelSpec, Problem, Record, Steps, Streams, law_at
from bandits.kernels.changes import begin_step, count_pulls, room_for_changes, write_changes
from bandits.kernels.general import write_step
from bandits.kernels.step import start_block, write_checkpoint
from numerics.kernels.arrays import zeros
from numerics.kernels.elementary import ln
from numerics.kernels.jit import Matrix, Vector, kernel
from numerics.kernels.pointers import pointers_of
from numerics.random import fill_uniforms, next_uniform

_AT_ONCE = 1024  # steps whose arrivals are drawn at once


class Queue(NamedTuple):
    """The rewards on their way; a reward's slot is the step of its pull, modulo the size of the rings."""

    arm: Vector[np.int64]
    reward: Vector[np.float64]
    rows: Matrix[np.float64]  # what a learn rule wants of its memory as it was at the pull
    after: Vector[np.int64]  # the slot of the reward that arrives next at the same step, or -1
    first: Vector[np.int64]  # the first slot of each step's list, or -1
    last: Vector[np.int64]


@kernel("void(Delays, int64, int64, int64[::1])")
def fill_arrivals(delays: Delays, run: int, first: int, arrivals: Any) -> None:
    """Write the step at whose end the reward of each step from `first` on arrives, of a replication of `delays`."""
    for i in range(arrivals.size):
        delay = delays.values[0]
        if delays.log_stay < 0.0:
            delay = int(ln(1.0 - next_uniform(delays.rng, run)) / delays.log_stay)
        elif delays.values.size > 1:
            delay = delays.values[int(next_uniform(delays.rng, run) * delays.values.size)]
        arrivals[i] = ((first + i + delay) // delays.batch + 1) * delays.batch - 1


@kernel(inline=True)
def _send(queue, step, arrival, arm, reward, memory):
    """Put the reward of a step at the end of the list that arrives at another."""
    slot, end = step % queue.arm.size, arrival % queue.arm.size
    queue.arm[slot], queue.reward[slot], queue.after[slot] = arm, reward, -1
    for m in range(queue.rows.shape[1]):
        queue.rows[slot, m] = memory[m]
    if queue.first[end] < 0:
        queue.first[end] = slot
    else:
        queue.after[queue.last[end]] = slot
    queue.last[end] = slot


@kernel(inline=True)
def _receive(queue, step, hooks, spec, known):
    """Have the policy learn the rewards that arrive at a step."""
    end = step % queue.arm.size
    slot, queue.first[end] = queue.first[end], -1
    while slot >= 0:
        for m in range(queue.rows.shape[1]):
            known.memory[m] = queue.rows[slot, m]
        update(hooks, spec, known, queue.arm[slot], queue.reward[slot])
        slot = queue.after[slot]


@kernel("int64(Hooks, int64, KernelSpec, Problem, Streams, Delays, Record, Steps)")
def play_delayed(
    hooks: Hooks,
    law: int,
    spec: KernelSpec,
    problem: Problem,
    streams: Streams,
    delays: Delays,
    record: Record,
    steps: Steps,
) -> int:
    """Play every replication of `problem` with `spec`, and fill `record` (and `steps`); hooks are given by address.

    Returns 0, or the first t at which a score was NaN: then nothing that was filled in is worth anything.
    """
    pay, (runs, arms), horizon = law_at(law), problem.means.shape, problem.checkpoints[-1]
    room = min(delays.longest + 1, horizon)  # rewards on their way, at most
    queue = Queue(
        zeros(room, np.int64),
        zeros(room),
        zeros((room, spec.kept_rows)),
        zeros(room, np.int64),
        zeros(room, np.int64),
        zeros(room, np.int64),
    )
    arrivals, changing = zeros(_AT_ONCE, np.int64), problem.starts.shape[1] > 0
    for run in range(runs):
        state = new_state(spec, arms, streams.rule[run : run + 1])
        known = pointers_of(state)
        gaps, pulls, sums, best_sum = zeros(arms), zeros(arms), zeros(arms), zeros(1)
        # The pulled arm and the best arm, as in the general kernel.
        rng, payers = zeros(8, np.uint64), zeros(2, np.int64)
        uniforms, target, paid = zeros(2), zeros(2), zeros(2)
        start_block(problem, streams, run, 1, 1, target[1:], payers[1:], gaps, rng)
        changes = room_for_changes(arms, 1 if changing else 0)
        queue.first[:] = -1
        reached = 0
        for step in range(horizon):
            if step % _AT_ONCE == 0:
                fill_arrivals(delays, run, step, arrivals)
            if changing:
                begin_step(problem, run, step, changes, gaps, target[1:], payers[1:], spec.features, state.memory)
            indexed = not spec.is_choice and known.unexplored[0] == 0
            arm = choose(hooks, spec, known, step)
            if arm < 0:
                return step + 1
            payers[0], target[0] = arm, changes.truth[arm] if changing else problem.means[run, arm]
            if changing:
                count_pulls(changes, payers[:1], gaps, target)
            fill_uniforms(rng, uniforms)
            pay(uniforms, target, payers, problem.params, paid)
            arrival = arrivals[step % _AT_ONCE]
            if run < steps.runs and step >= steps.before:
                write_step(steps, step, run, 1, payers[:1], paid, state.means, state.scores, indexed, state.memory)
                steps.arrival[run * (steps.arm.size // steps.runs) + step - steps.before] = arrival
            pulls[arm] += 1.0
            sums[arm] += paid[0]
            best_sum[0] += paid[1]
            if arrival < horizon:
                _send(queue, step, arrival, arm, paid[0], known.memory)
            _receive(queue, step, hooks, spec, known)

            if step + 1 == problem.checkpoints[reached]:
                write_checkpoint(
                    record, reached, run, 1, 1, gaps, pulls, sums, state.pulls, state.means, payers, paid, best_sum
                )
                if changing:
                    write_changes(record, reached, run, step + 1, changes)
                if record.alarms.shape[1] > 0:
                    record.alarms[run, reached] = state.memory[0, 0]
                reached += 1
    return 0
