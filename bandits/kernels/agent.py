"""One replication, a pull at a time: `choose` an arm, and `update` what is known of it by a reward.

A live agent calls the two from Python, by `choose_in` and `update_in`. Late rewards, play until a rule is sure, the
rows of a log and flat search are loops around them. They pull the arms that `bandits.kernels.general` pulls, to the
last one, from the same rewards and the same stream of the rule. A pull takes about ten times as long as one of 64
replications that advance together there. The two are functions of their own, not pasted into the loops. That costs UCB1
with late rewards a quarter, and saves a quarter of compiling.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.kernels.argmax import choose_one
from bandits.kernels.arguments import Hooks, KernelSpec, full, learn_at, score_at, select_at
from bandits.kernels.signatures import Chosen, Words
from bandits.kernels.step import add_to_variance
from numerics.kernels.arrays import zeros
from numerics.kernels.jit import Matrix, Vector, kernel
from numerics.kernels.pointers import array_at, pointer

STATISTICS = ("pulls", "sums", "origins", "squares", "means", "widths", "variances", "priors", "scores")
COUNTS = 5  # K, P, M; the arm that the hooks write and read; the arms that are not yet explored


class State(NamedTuple):
    """What a policy knows in one replication; make it with `new_state`. All arrays change in place.

    `choose` and `update` take `pointers_of(state)`: arrays would take four times as long, as a call counts the users of
    each. A kernel frees the state after its last use there, so a loop must use the state too, not the pointers alone.
    """

    pulls: Vector[np.float64]  # [K], the rewards that are known
    sums: Vector[np.float64]  # [K], of these rewards
    origins: Vector[np.float64]  # [K], the first of them
    squares: Vector[np.float64]  # [K], of the deviations from that one
    means: Vector[np.float64]  # [K], the estimates
    widths: Vector[np.float64]  # [K], 1 / sqrt(pulls)
    variances: Vector[np.float64]  # [K]
    priors: Vector[np.float64]  # [K]
    scores: Vector[np.float64]  # [K], of the last choice by scores
    params: Vector[np.float64]  # [P], the rule's own numbers
    memory: Matrix[np.float64]  # [M, 1], of a choice rule
    rng: Matrix[np.uint64]  # [1, 4], the rule's stream
    arm: Vector[np.int64]  # [1], what the hooks write and read
    reward: Vector[np.float64]  # [1]
    sizes: Vector[np.int64]  # [3], K, P and M
    unexplored: Vector[np.int64]  # [1], arms with fewer rewards than their first pulls


@kernel()
def new_state(spec, arms, rng):
    """Return the state before the first pull, of a rule whose stream is rng, uint64[1, 4]."""
    rows = spec.memory + spec.arm_memory * arms
    return State(
        zeros(arms),
        zeros(arms),
        zeros(arms),
        zeros(arms),
        full(arms, spec.estimates.initial),
        full(arms, np.inf),
        full(arms, 0.0 if spec.needs_variances else np.nan),
        full(arms, 1.0 / arms if spec.needs_priors else np.nan),
        zeros(arms),
        spec.params,
        zeros((rows, 1)),
        rng,
        zeros(1, np.int64),
        zeros(1),
        np.array([arms, spec.params.size, rows]),
        np.array([arms if spec.estimates.explore > 0 else 0]),
    )


@kernel()
def choose(hooks, spec, state, step):
    """Return the arm of the pull after `step` others; -1 where a score is NaN, so that no arm is the best.

    The arms take turns until each has as many rewards as the policy's first pulls are.
    """
    arms, t, rng, arm = state.sizes[0], step + 1.0, array_at(state.rng, (1, 4)), array_at(state.arm, 1)
    if state.unexplored[0] > 0:
        return step % arms
    if spec.is_choice:
        select = select_at(hooks.select)
        select(
            array_at(state.pulls, arms),
            array_at(state.means, arms),
            array_at(state.widths, arms),
            array_at(state.variances, arms),
            array_at(state.priors, arms),
            t,
            spec.horizon,
            array_at(state.params, state.sizes[1]),
            rng,
            array_at(state.memory, (state.sizes[2], 1)),
            arm,
        )
        return arm[0]
    score = score_at(hooks.score)
    score(
        arms,
        1,
        state.pulls,
        state.means,
        state.widths,
        state.variances,
        state.priors,
        t,
        spec.horizon,
        state.params,
        state.sizes[1],
        state.rng,
        state.scores,
    )
    for a in range(arms):
        if math.isnan(state.scores[a]):
            return -1
    return choose_one(state.scores, arms, rng, 0)


@kernel()
def update(hooks, spec, state, arm, reward):
    """Count a reward of an arm."""
    estimates = spec.estimates
    if spec.needs_variances:
        add_to_variance(state.pulls, state.sums, state.origins, state.squares, state.variances, arm, reward)
    n, total = state.pulls[arm] + 1.0, state.sums[arm] + reward
    state.pulls[arm], state.sums[arm], state.widths[arm] = n, total, 1.0 / math.sqrt(n)
    if estimates.step_size > 0.0:
        state.means[arm] += estimates.step_size * (reward - state.means[arm])
    else:
        state.means[arm] = (estimates.prior_pulls * estimates.initial + total) / (estimates.prior_pulls + n)
    if n == estimates.explore:
        state.unexplored[0] -= 1
    if spec.has_learn:
        state.arm[0], state.reward[0] = arm, reward
        learn = learn_at(hooks.learn)
        learn(array_at(state.memory, (state.sizes[2], 1)), array_at(state.arm, 1), array_at(state.reward, 1))


@kernel("void(KernelSpec, int64, uint64[:, ::1], float64[::1], int64[::1])")
def start_in(spec: KernelSpec, arms: int, rng: Words, numbers: Vector[np.float64], counts: Chosen) -> None:
    """Write the state before the first pull into two arrays.

    `numbers`, float64[9 K + P + M + 1], holds the vectors of `STATISTICS`, the rule's own numbers, its memory, and a
    reward. `counts`, int64[5], is explained at `COUNTS`.
    """
    state = new_state(spec, arms, rng)
    size, rows = state.params.size, state.memory.shape[0]
    numbers[:] = 0.0
    for a in range(arms):
        numbers[4 * arms + a], numbers[5 * arms + a] = state.means[a], state.widths[a]
        numbers[6 * arms + a], numbers[7 * arms + a] = state.variances[a], state.priors[a]
    for i in range(size):
        numbers[9 * arms + i] = state.params[i]
    counts[0], counts[1], counts[2], counts[3], counts[4] = arms, size, rows, 0, state.unexplored[0]


@kernel(inline=True)
def state_in(numbers, rng, counts):
    """Return the pointers to a state that lies in three arrays."""
    arms = counts[0]
    params = 9 * arms
    memory = params + counts[1]
    return State(
        pointer(numbers, 0),
        pointer(numbers, arms),
        pointer(numbers, 2 * arms),
        pointer(numbers, 3 * arms),
        pointer(numbers, 4 * arms),
        pointer(numbers, 5 * arms),
        pointer(numbers, 6 * arms),
        pointer(numbers, 7 * arms),
        pointer(numbers, 8 * arms),
        pointer(numbers, params),
        pointer(numbers, memory),
        pointer(rng, 0),
        pointer(counts, 3),
        pointer(numbers, memory + counts[2]),
        pointer(counts, 0),
        pointer(counts, 4),
    )


@kernel("int64(Hooks, KernelSpec, float64[::1], uint64[:, ::1], int64[::1], int64)")
def choose_in(
    hooks: Hooks, spec: KernelSpec, numbers: Vector[np.float64], rng: Words, counts: Chosen, step: int
) -> int:
    """Choose as `choose` does, of a state that `start_in` began; its caller holds the arrays."""
    arm: int = choose(hooks, spec, state_in(numbers, rng, counts), step)
    return arm


@kernel("void(Hooks, KernelSpec, float64[::1], uint64[:, ::1], int64[::1], int64, float64)")
def update_in(
    hooks: Hooks,
    spec: KernelSpec,
    numbers: Vector[np.float64],
    rng: Words,
    counts: Chosen,
    arm: int,
    reward: float,
) -> None:
    """Count a reward as `update` does, of a state that `start_in` began."""
    update(hooks, spec, state_in(numbers, rng, counts), arm, reward)
