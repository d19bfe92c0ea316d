"""The simulation kernel: L replications of one policy advance together, one pull each, for T steps.

Statistics are kept arm-major, float64[K * L], so that a rule and the argmax are loops over neighbours. A step:

    choose (rule + argmax)  ->  reward of the pulled arm  ->  reward r* of the best arm  ->  statistics of one arm

Pseudo-regret and the sum of rewards follow from pulls and sums, so that they cost nothing between the checkpoints.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bandits.kernels.argmax import choose_best
from bandits.kernels.arguments import MOST_ROOTS, KernelSpec, Problem, Record, Streams, Trace, row
from bandits.kernels.signatures import POINTED, SIGNATURES, Law, Learn, Select
from numerics.kernels.jit import kernel
from numerics.kernels.pointers import array_at, at, pointer
from numerics.random import fill_uniforms

_HOOKS = ", ".join(
    f"FunctionType({hook})" for hook in (POINTED, *(SIGNATURES[kind] for kind in ("select", "learn", "law")))
)


@kernel(f"int64({_HOOKS}, KernelSpec, Problem, Streams, Record, Trace, int64)")
def play(
    score: Any,
    select: Select,
    learn: Learn,
    law: Law,
    spec: KernelSpec,
    problem: Problem,
    streams: Streams,
    record: Record,
    trace: Trace,
    block: int,
) -> int:
    """Play every replication of `problem` with `spec`, `block` at a time, and fill `record` (and `trace`).

    Returns 0, or the first checkpoint at which a score was NaN: then nothing that was filled in is worth anything.
    """
    (runs, arms), estimates = problem.means.shape, spec.estimates
    roots = 1.0 / np.sqrt(np.arange(min(problem.horizon + 1, MOST_ROOTS)).astype(np.float64))
    last = roots.size - 1
    numbers = array_at(pointer(spec.params, 0), spec.params.size)  # to take `spec.params` counts its users up
    params = array_at(pointer(problem.params, 0), problem.params.shape)
    weight, start = estimates.prior_pulls, estimates.prior_pulls * estimates.initial
    for first in range(0, runs, block):
        size = min(block, runs - first)
        cells = arms * size
        pulls, sums, squares, variances = row(cells, 0.0), row(cells, 0.0), row(cells, 0.0), row(cells, 0.0)
        means, widths, priors = row(cells, estimates.initial), row(cells, np.inf), row(cells, 1.0 / arms)
        out, gaps = row(cells, 0.0), row(cells, 0.0)
        estimate, regret, reward_sum, best_reward_sum = row(size, 0.0), row(size, 0.0), row(size, 0.0), row(size, 0.0)
        memory = row((spec.memory + spec.arm_memory * arms) * size, 0.0).reshape((-1, size))
        rule_rng = streams.rule[first : first + size]
        # First the pulled arms of all replications, then their best arms: one pass draws for both, one call pays both.
        rng = row(8 * size, 0.0).view(np.uint64)
        uniforms, target, paid = row(2 * size, 0.0), row(2 * size, -np.inf), row(2 * size, 0.0)
        payers = row(2 * size, 0.0).view(np.int64)
        arm, best_arm = payers[:size], payers[size:]
        best_mean, reward, best_reward = target[size:], paid[:size], paid[size:]
        for r in range(size):
            for a in range(arms):
                if problem.means[first + r, a] > best_mean[r]:
                    best_mean[r], best_arm[r] = problem.means[first + r, a], a
            for word in range(4):
                rng[word * 2 * size + r] = streams.reward[first + r, word]
                rng[(word * 2 + 1) * size + r] = streams.best[first + r, word]
        alike = True
        for a in range(arms):
            for r in range(size):
                gaps[a * size + r] = best_mean[r] - problem.means[first + r, a]
                alike &= problem.means[first + r, a] == problem.means[first, a]
        truth, apart = array_at(pointer(problem.means, first * arms), cells), 0 if alike else arms  # one row serves all
        reached = 0
        for step in range(problem.horizon):
            indexed = False
            if step < estimates.explore * arms:
                arm[:] = step % arms
            elif spec.is_choice:
                select(
                    pulls,
                    means,
                    widths,
                    variances,
                    priors,
                    step + 1.0,
                    float(problem.horizon),
                    numbers,
                    rule_rng,
                    memory,
                    arm,
                )
            else:
                score(
                    arms,
                    size,
                    pointer(pulls, 0),
                    pointer(means, 0),
                    pointer(widths, 0),
                    pointer(variances, 0),
                    pointer(priors, 0),
                    step + 1.0,
                    float(problem.horizon),
                    pointer(numbers, 0),
                    numbers.size,
                    pointer(rule_rng, 0),
                    pointer(out, 0),
                )
                indexed = True
                if choose_best(out, rule_rng, arm):
                    return step + 1

            for r in range(size):
                target[r] = truth[at(r * apart + arm[r])]
            fill_uniforms(rng, uniforms)
            law(uniforms, target, payers, params, paid)

            if first == 0 and trace.arm.size > 0:
                trace.arm[step], trace.reward[step], trace.best_reward[step] = arm[0], reward[0], best_reward[0]
                for a in range(arms):
                    trace.means[step, a] = means[a * size]
                    trace.scores[step, a] = out[a * size] if indexed else np.nan

            if spec.needs_variances:
                for r in range(size):  # Welford: the sum of squared deviations from the running sample mean
                    i = at(arm[r] * size + r)
                    before = sums[i] / pulls[i] if pulls[i] > 0.0 else 0.0
                    after = (sums[i] + reward[r]) / (pulls[i] + 1.0)
                    squares[i] += (reward[r] - before) * (reward[r] - after)
                    variances[i] = squares[i] / (pulls[i] + 1.0)
            if estimates.step_size > 0.0:
                for r in range(size):
                    before = means[at(arm[r] * size + r)]
                    estimate[r] = before + estimates.step_size * (reward[r] - before)
            # One arm of each replication changes: cells far apart, which this loop takes one by one. To take a root and
            # divide by it there would cost as much as all the rest of it.
            for r in range(size):
                i = at(arm[r] * size + r)
                n, s = pulls[i] + 1.0, sums[i] + reward[r]
                pulls[i], sums[i] = n, s
                means[i], widths[i] = (start + s) / (weight + n), roots[at(min(int(n), last))]
            if step + 1 > last:
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

            if reached < problem.checkpoints.size and step + 1 == problem.checkpoints[reached]:
                for r in range(size):
                    regret[r], reward_sum[r] = 0.0, 0.0
                for a in range(arms):
                    for r in range(size):
                        i = at(a * size + r)
                        regret[r] += gaps[i] * pulls[i]
                        reward_sum[r] += sums[i]
                for r in range(size):
                    record.pseudo_regret[first + r, reached] = regret[r]
                    record.reward_sum[first + r, reached] = reward_sum[r]
                    record.best_reward_sum[first + r, reached] = best_reward_sum[r]
                    record.reward[first + r, reached] = reward[r]
                    record.optimal[first + r, reached] = target[r] == best_mean[r]
                reached += 1
        for r in range(size):
            for a in range(arms):
                record.pulls[first + r, a] = int(pulls[a * size + r])
    return 0
