"""The simulation kernel: L replications of one policy advance together, one pull each, for T steps.

Statistics are kept arm-major, float64[K * L], so that a rule and the argmax are loops over neighbours. A step:

    choose (rule + argmax)  ->  reward of the pulled arm  ->  reward r* of the best arm  ->  statistics of one arm

`bandits.kernels.step` has what this kernel shares with the faster ones.
"""

from __future__ import annotations

import math

import numpy as np

from bandits.kernels.argmax import choose_best
from bandits.kernels.arguments import (
    Hooks,
    KernelSpec,
    Problem,
    Record,
    Steps,
    Streams,
    full,
    law_at,
    learn_at,
    score_at,
    select_at,
)
from bandits.kernels.changes import begin_step, count_pulls, room_for_changes, write_changes
from bandits.kernels.step import add_reward, add_to_variance, ask, roots_up_to, start_block, write_checkpoint
from numerics.kernels.arrays import zeros
from numerics.kernels.jit import kernel
from numerics.kernels.pointers import array_at, at, pointer
from numerics.random import fill_uniforms


@kernel()
def write_step(steps, step, first, size, arm, paid, means, out, indexed, memory):
    """Write what has happened at a step before its rewards are counted; `paid` holds r and then r* of all."""
    for r in range(min(size, steps.runs - first)):
        i = (first + r) * (steps.arm.size // steps.runs) + step - steps.before
        steps.arm[i], steps.reward[i], steps.best_reward[i] = arm[r], paid[r], paid[size + r]
        for a in range(steps.means.shape[1]):
            steps.means[i, a] = means[a * size + r]
            steps.scores[i, a] = out[a * size + r] if indexed else np.nan
        for m in range(steps.memory.shape[1]):
            steps.memory[i, m] = memory[m, r]


@kernel("int64(Hooks, int64, KernelSpec, Problem, Streams, Record, Steps, int64)")
def play(
    hooks: Hooks,
    law: int,
    spec: KernelSpec,
    problem: Problem,
    streams: Streams,
    record: Record,
    steps: Steps,
    block: int,
) -> int:
    """Play every replication of `problem` with `spec`, `block` at a time, and fill `record` (and `steps`).

    Hooks are given by address. Returns 0, or the first t at which a score was NaN: then nothing that was filled in is
    worth anything.
    """
    score, select = score_at(hooks.score), select_at(hooks.select)
    learn, pay = learn_at(hooks.learn), law_at(law)
    (runs, arms), horizon, estimates = problem.means.shape, problem.checkpoints[-1], spec.estimates
    roots = roots_up_to(horizon)
    params = array_at(pointer(spec.params, 0), spec.params.size)  # to take `spec.params` counts its users up
    law_params = array_at(pointer(problem.params, 0), problem.params.shape)
    weight, start = estimates.prior_pulls, estimates.prior_pulls * estimates.initial
    for first in range(0, runs, block):
        size = min(block, runs - first)
        cells = arms * size
        pulls, sums, origins, squares = zeros(cells), zeros(cells), zeros(cells), zeros(cells)
        means, widths = full(cells, estimates.initial), full(cells, np.inf)
        variances = full(cells, 0.0 if spec.needs_variances else np.nan)
        priors = full(cells, 1.0 / arms if spec.needs_priors else np.nan)
        out, gaps, estimate, best_reward_sum = zeros(cells), zeros(cells), zeros(size), zeros(size)
        memory = zeros((spec.memory + spec.arm_memory * arms, size))
        rule_rng = streams.rule[first : first + size]
        # First the pulled arms of all replications, then their best arms: one pass draws for both, one call pays both.
        rng = zeros(8 * size, np.uint64)
        uniforms, target, paid = zeros(2 * size), zeros(2 * size), zeros(2 * size)
        payers = zeros(2 * size, np.int64)
        arm, reward, best_reward = payers[:size], paid[:size], paid[size:]
        alike = start_block(problem, streams, first, size, size, target[size:], payers[size:], gaps, rng)
        truth, apart = array_at(pointer(problem.means, first * arms), cells), 0 if alike else arms  # one row serves all
        changing = problem.starts.shape[1] > 0
        changes = room_for_changes(arms, size if changing else 0)
        if changing:
            truth, apart = array_at(pointer(changes.truth, 0), cells), arms
        reached = 0
        for step in range(horizon):
            t, indexed = step + 1.0, False
            if changing:
                begin_step(problem, first, step, changes, gaps, target[size:], payers[size:], spec.features, memory)
            if step < estimates.explore * arms:
                arm[:] = step % arms
            elif spec.is_choice:
                select(pulls, means, widths, variances, priors, t, spec.horizon, params, rule_rng, memory, arm)
            else:
                ask(score, arms, size, pulls, means, widths, variances, priors, t, spec.horizon, params, rule_rng, out)
                indexed = True
                if choose_best(out, rule_rng, arm):
                    return step + 1

            for r in range(size):
                target[r] = truth[at(r * apart + arm[r])]
            if changing:
                count_pulls(changes, arm, gaps, target)
            fill_uniforms(rng, uniforms)
            pay(uniforms, target, payers, law_params, paid)
            if first < steps.runs and step >= steps.before:
                write_step(steps, step, first, size, arm, paid, means, out, indexed, memory)

            # One arm of each replication changes: cells far apart, which these loops take one by one.
            if spec.needs_variances:
                for r in range(size):
                    add_to_variance(pulls, sums, origins, squares, variances, at(arm[r] * size + r), reward[r])
            if estimates.step_size > 0.0:
                for r in range(size):
                    before = means[at(arm[r] * size + r)]
                    estimate[r] = before + estimates.step_size * (reward[r] - before)
            for r in range(size):
                i = at(arm[r] * size + r)
                add_reward(pulls, sums, i, means, widths, i, reward[r], start, weight, roots)
            if step + 1 >= roots.size:
                for r in range(size):
                    i = at(arm[r] * size + r)
                    widths[i] = 1.0 / math.sqrt(pulls[i])
            if estimates.step_size > 0.0:
                for r in range(size):
                    means[at(arm[r] * size + r)] = estimate[r]
            for r in range(size):
                best_reward_sum[r] += best_reward[r]
            if spec.has_learn:
                learn(memory, arm, reward)

            if step + 1 == problem.checkpoints[reached]:
                write_checkpoint(
                    record, reached, first, size, size, gaps, pulls, sums, pulls, means, arm, reward, best_reward_sum
                )
                if changing:
                    write_changes(record, reached, first, step + 1, changes)
                if record.alarms.shape[1] > 0:
                    for r in range(size):
                        record.alarms[first + r, reached] = memory[0, r]
                reached += 1
    return 0
