"""Arms that change: the means of the moment, and the regret against the best arm of each moment and the best fixed one.

Changing arms are a table of means, so none of their code runs here. `Problem.starts` has the steps from which on the
rows of `Problem.segments` hold. If means depend on features, these are a table, too, `Problem.features`. Entries are
those of `bandits.kernels.step`; `truth` and `totals` are row-major.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from numerics.kernels.arrays import zeros
from numerics.kernels.jit import Vector, kernel
from numerics.kernels.pointers import at


class Changes(NamedTuple):
    """What L replications of a block keep of a world that changes."""

    truth: Vector[np.float64]  # [L * K], the means of the moment
    totals: Vector[np.float64]  # [L * K], the sums of the means over the steps before the present segments
    lost: Vector[np.float64]  # [K * L], the regret of the pulls of each arm
    best_pulls: Vector[np.float64]  # [L], the pulls of arms that were a best one then
    earned: Vector[np.float64]  # [L], the sum of the means of the pulled arms
    since: Vector[np.int64]  # [L], the step at which the present segment began
    following: Vector[np.int64]  # [L], the number of the next segment


@kernel()
def room_for_changes(arms, size):
    """Return room for `size` replications before their first step."""
    cells = arms * size
    since, following = zeros(size, np.int64), zeros(size, np.int64)
    return Changes(zeros(cells), zeros(cells), zeros(cells), zeros(size), zeros(size), since, following)


@kernel()
def begin_step(problem, first, step, changes, gaps, best_mean, best_arm, features, memory):
    """Begin a step: see `next_segments` and, of a rule that sees so many features, `show_features`.

    Both in a single call: two would cost the kernels time where nothing changes.
    """
    next_segments(problem, first, step, changes, gaps, best_mean, best_arm)
    if features > 0:
        show_features(problem, first, step, features, memory)


@kernel()
def next_segments(problem, first, step, changes, gaps, best_mean, best_arm):
    """Give the replications whose next segment begins at this step its means; write their best arms and gaps."""
    arms, size = problem.means.shape[1], changes.since.size
    for r in range(size):
        number = changes.following[r]
        if number == problem.starts.shape[1] or problem.starts[first + r, number] != step:
            continue
        lasted = float(step - changes.since[r])
        changes.since[r], changes.following[r] = step, number + 1
        best_mean[r] = -math.inf
        for a in range(arms):
            i = at(r * arms + a)
            changes.totals[i] += lasted * changes.truth[i]
            mean = problem.segments[first + r, number * arms + a]
            changes.truth[i] = mean
            if mean > best_mean[r]:
                best_mean[r], best_arm[r] = mean, a
        for a in range(arms):
            gaps[a * size + r] = best_mean[r] - changes.truth[at(r * arms + a)]


@kernel()
def show_features(problem, first, step, count, memory):
    """Write the features of a step into the leading rows of a rule's memory: how many there are, then each."""
    for r in range(memory.shape[1]):
        memory[0, r] = count
        for i in range(count):
            memory[1 + i, r] = problem.features[first + r, step * count + i]


@kernel()
def count_pulls(changes, arm, gaps, mean):
    """Count the pull of arm[r], whose mean is mean[r] at this step, in each replication."""
    size = changes.since.size
    for r in range(size):
        i = at(arm[r] * size + r)
        changes.lost[i] += gaps[i]
        changes.best_pulls[r] += 1.0 if gaps[i] == 0.0 else 0.0
        changes.earned[r] += mean[r]


@kernel()
def write_changes(record, reached, first, t, changes):
    """Record the dynamic regret after `t` pulls in place of that of `write_checkpoint`, and the one of a fixed arm."""
    arms, size = record.pulls.shape[1], changes.since.size
    for r in range(size):
        regret, most, lasted = 0.0, -math.inf, float(t - changes.since[r])
        for a in range(arms):
            i = at(r * arms + a)
            regret += changes.lost[a * size + r]
            most = max(most, changes.totals[i] + lasted * changes.truth[i])
        record.pseudo_regret[first + r, reached] = regret
        record.fixed_regret[first + r, reached] = most - changes.earned[r]
        record.best_pulls[first + r, reached] = changes.best_pulls[r]
        if reached == record.reward.shape[1] - 1:
            for a in range(arms):
                record.lost[first + r, a] = changes.lost[a * size + r]
