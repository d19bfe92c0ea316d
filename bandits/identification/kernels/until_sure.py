"""The kernel of best-arm identification: every replication pulls until a stopping rule says that it is sure.

Replications end at different times, so they are played one after another, each as `bandits.kernels.general` plays it:

    choose  ->  reward of the pulled arm  ->  statistics of one arm  ->  stop?

The same seed gives the same pulls as there, up to the one at which a replication ends.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from bandits.kernels.argmax import choose_best
from bandits.kernels.arguments import KernelSpec, Streams, row
from bandits.kernels.signatures import POINTED, SIGNATURES, Law, Learn, Select, Stop
from bandits.kernels.step import add_reward, add_to_variance, ask, recommend, roots_up_to
from numerics.kernels.jit import Matrix, Vector, kernel
from numerics.random import next_uniform

_HOOKS = ", ".join(
    f"FunctionType({hook})" for hook in (POINTED, *(SIGNATURES[kind] for kind in ("select", "learn", "law", "stop")))
)
_ROOTS = 2**14  # counts whose root is looked up: a run may be far shorter than its cap


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


@kernel(f"int64({_HOOKS}, KernelSpec, Race, Streams, Finish)")
def play(
    score: Any,
    select: Select,
    learn: Learn,
    law: Law,
    stop: Stop,
    spec: KernelSpec,
    race: Race,
    streams: Streams,
    finish: Finish,
) -> int:
    """Play every replication of `race` until its rule stops it, and fill `finish`.

    Returns 0, or the first t at which a score was NaN: then nothing that was filled in is worth anything.
    """
    (runs, arms), estimates = race.means.shape, spec.estimates
    roots = roots_up_to(min(race.most, _ROOTS))
    weight, start = estimates.prior_pulls, estimates.prior_pulls * estimates.initial
    pulls, sums, origins, squares = row(arms, 0.0), row(arms, 0.0), row(arms, 0.0), row(arms, 0.0)
    means, widths, variances, out = row(arms, 0.0), row(arms, 0.0), row(arms, 0.0), row(arms, 0.0)
    priors = row(arms, 1.0 / arms if spec.needs_priors else np.nan)
    memory = row(spec.memory + spec.arm_memory * arms, 0.0).reshape((-1, 1))
    uniform, target, reward, arm = row(1, 0.0), row(1, 0.0), row(1, 0.0), row(1, 0.0).view(np.int64)
    for run in range(runs):
        pulls[:], sums[:], origins[:], squares[:] = 0.0, 0.0, 0.0, 0.0
        means[:], widths[:], memory[:] = estimates.initial, np.inf, 0.0
        variances[:] = 0.0 if spec.needs_variances else np.nan
        rng, paying = streams.rule[run : run + 1], streams.reward[run : run + 1]
        sure, step = False, 0
        while step < race.most and not sure:
            t = step + 1.0
            if step < estimates.explore * arms:
                arm[0] = step % arms
            elif spec.is_choice:
                select(pulls, means, widths, variances, priors, t, spec.horizon, spec.params, rng, memory, arm)
            else:
                ask(score, arms, 1, pulls, means, widths, variances, priors, t, spec.horizon, spec.params, rng, out)
                if choose_best(out, rng, arm):
                    return step + 1
            a = arm[0]
            uniform[0], target[0] = next_uniform(paying, 0), race.means[run, a]
            law(uniform, target, arm, race.params, reward)
            if spec.needs_variances:
                add_to_variance(pulls, sums, origins, squares, variances, a, reward[0])
            moved = means[a] + estimates.step_size * (reward[0] - means[a])
            add_reward(pulls, sums, a, means, widths, a, reward[0], start, weight, roots)
            if pulls[a] >= roots.size:
                widths[a] = 1.0 / math.sqrt(pulls[a])
            if estimates.step_size > 0.0:
                means[a] = moved
            if spec.has_learn:
                learn(memory, arm, reward)
            step += 1
            sure = step >= arms and stop(pulls, means, variances, step + 0.0, race.stop_params)
        for a in range(arms):
            finish.pulls[run, a] = int(pulls[a])
        recommend(pulls, means, race.by_pulls, race.tie_breakers[run : run + 1], arm)
        finish.arm[run], finish.sure[run] = arm[0], sure
    return 0
