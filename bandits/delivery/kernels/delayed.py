"""The simulation kernel for rewards that come late: a replication after another, with a queue of what is on its way.

A policy knows the rewards that have arrived, and nothing else: they alone are in the statistics and the memory, in the
order in which they arrived. Regret is that of all pulls.

The reward of step s (from 0 on) with delay d is known from step s + d + 1 on. Rewards that arrive at the end of the
same step are a list in the order of their pulls; the lists lie in rings, whose size is the longest delay and 1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bandits.kernels.argmax import choose_best
from bandits.kernels.arguments import Delays, KernelSpec, Problem, Record, Steps, Streams, row
from bandits.kernels.changes import begin_step, count_pulls, room_for_changes, write_changes
from bandits.kernels.general import HOOKS, write_step
from bandits.kernels.signatures import Law, Learn, Select
from bandits.kernels.step import add_reward, add_to_variance, ask, roots_up_to, start_block, write_checkpoint
from numerics.kernels.elementary import ln
from numerics.kernels.jit import kernel
from numerics.kernels.pointers import array_at, pointer
from numerics.random import fill_uniforms, next_uniform

_AT_ONCE = 1024  # steps whose arrivals are drawn at once


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


@kernel(f"int64({HOOKS}, KernelSpec, Problem, Streams, Delays, Record, Steps)")
def play(
    score: Any,
    select: Select,
    learn: Learn,
    law: Law,
    spec: KernelSpec,
    problem: Problem,
    streams: Streams,
    delays: Delays,
    record: Record,
    steps: Steps,
) -> int:
    """Play every replication of `problem` with `spec`, and fill `record` (and `steps`).

    Returns 0, or the first t at which a score was NaN: then nothing that was filled in is worth anything.
    """
    (runs, arms), horizon, estimates = problem.means.shape, problem.checkpoints[-1], spec.estimates
    roots = roots_up_to(horizon)
    params = array_at(pointer(spec.params, 0), spec.params.size)  # to take `spec.params` counts its users up
    law_params = array_at(pointer(problem.params, 0), problem.params.shape)
    weight, start = estimates.prior_pulls, estimates.prior_pulls * estimates.initial
    room = min(delays.longest + 1, horizon)  # rewards on their way, at most
    queued_arm, queued_reward = np.zeros(room, np.int64), np.zeros(room)
    queued_rows, after = np.zeros((room, spec.kept_rows)), np.zeros(room, np.int64)
    heads, tails, arrivals = np.zeros(room, np.int64), np.zeros(room, np.int64), np.zeros(_AT_ONCE, np.int64)
    arriving, late = np.zeros(1, np.int64), np.zeros(1)
    for run in range(runs):
        pulls, sums, origins, squares = row(arms, 0.0), row(arms, 0.0), row(arms, 0.0), row(arms, 0.0)
        means, widths = row(arms, estimates.initial), row(arms, np.inf)
        variances = row(arms, 0.0 if spec.needs_variances else np.nan)
        priors = row(arms, 1.0 / arms if spec.needs_priors else np.nan)
        out, gaps, best_reward_sum = row(arms, 0.0), row(arms, 0.0), row(1, 0.0)
        all_pulls, all_rewards = row(arms, 0.0), row(arms, 0.0)
        memory = row(spec.memory + spec.arm_memory * arms, 0.0).reshape((-1, 1))
        rule_rng, rng = streams.rule[run : run + 1], row(8, 0.0).view(np.uint64)
        # The pulled arm and the best arm, as in the general kernel.
        uniforms, target, paid, payers = row(2, 0.0), row(2, 0.0), row(2, 0.0), row(2, 0.0).view(np.int64)
        arm, reward = payers[:1], paid[:1]
        start_block(problem, streams, run, 1, 1, target[1:], payers[1:], gaps, rng)
        changing = problem.starts.shape[1] > 0
        changes = room_for_changes(arms, 1 if changing else 0)
        heads[:] = -1
        unknown, reached = arms if estimates.explore > 0 else 0, 0  # arms with too few rewards for the rule
        for step in range(horizon):
            t, indexed = step + 1.0, False
            if step % _AT_ONCE == 0:
                fill_arrivals(delays, run, step, arrivals)
            if changing:
                begin_step(problem, run, step, changes, gaps, target[1:], payers[1:], spec.features, memory)
            if unknown > 0:
                arm[0] = step % arms
            elif spec.is_choice:
                select(pulls, means, widths, variances, priors, t, spec.horizon, params, rule_rng, memory, arm)
            else:
                ask(score, arms, 1, pulls, means, widths, variances, priors, t, spec.horizon, params, rule_rng, out)
                indexed = True
                if choose_best(out, rule_rng, arm):
                    return step + 1
            pulled, arrival = arm[0], arrivals[step % _AT_ONCE]

            target[0] = changes.truth[pulled] if changing else problem.means[run, pulled]
            if changing:
                count_pulls(changes, arm, gaps, target)
            fill_uniforms(rng, uniforms)
            law(uniforms, target, payers, law_params, paid)
            if run < steps.runs and step >= steps.before:
                write_step(steps, step, run, 1, arm, paid, means, out, indexed, memory)
                steps.arrival[run * (steps.arm.size // steps.runs) + step - steps.before] = arrival
            all_pulls[pulled] += 1.0
            all_rewards[pulled] += reward[0]
            best_reward_sum[0] += paid[1]

            if arrival < horizon:
                slot, end = step % room, arrival % room
                queued_arm[slot], queued_reward[slot], after[slot] = pulled, reward[0], -1
                for m in range(spec.kept_rows):
                    queued_rows[slot, m] = memory[m, 0]
                if heads[end] < 0:
                    heads[end] = slot
                else:
                    after[tails[end]] = slot
                tails[end] = slot

            slot = heads[step % room]
            heads[step % room] = -1
            while slot >= 0:
                a, late[0] = queued_arm[slot], queued_reward[slot]
                if spec.needs_variances:
                    add_to_variance(pulls, sums, origins, squares, variances, a, late[0])
                moved = means[a] + estimates.step_size * (late[0] - means[a])
                add_reward(pulls, sums, a, means, widths, a, late[0], start, weight, roots)
                if pulls[a] >= roots.size:
                    widths[a] = 1.0 / math.sqrt(pulls[a])
                if estimates.step_size > 0.0:
                    means[a] = moved
                unknown -= pulls[a] == estimates.explore
                if spec.has_learn:
                    arriving[0] = a
                    for m in range(spec.kept_rows):
                        memory[m, 0] = queued_rows[slot, m]
                    learn(memory, arriving, late)
                slot = after[slot]

            if step + 1 == problem.checkpoints[reached]:
                write_checkpoint(
                    record, reached, run, 1, 1, gaps, all_pulls, all_rewards, pulls, means, arm, reward, best_reward_sum
                )
                if changing:
                    write_changes(record, reached, run, step + 1, changes)
                if record.alarms.shape[1] > 0:
                    record.alarms[run, reached] = memory[0, 0]
                reached += 1
    return 0
