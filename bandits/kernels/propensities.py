"""The probability with which a policy chooses each arm, and draws that estimate it where no formula gives it.

A choice that draws no random number is certain: without a draw it is a function of the state. So only choices that draw
need a formula.
"""

from __future__ import annotations

import math

import numpy as np

from bandits.kernels.agent import choose, state_in
from bandits.kernels.argmax import share_of_best
from bandits.kernels.arguments import Hooks, KernelSpec
from bandits.kernels.signatures import SIGNATURES, Chosen, Vector, Words
from numerics.kernels.addresses import hook_at
from numerics.kernels.arrays import empty
from numerics.kernels.jit import kernel
from numerics.kernels.pointers import array_at
from numerics.random import next_word

propensities_at, chances_at = hook_at(SIGNATURES["propensities"]), hook_at(SIGNATURES["score"])


@kernel("boolean(Hooks, int64, int64, KernelSpec, float64[::1], uint64[:, ::1], int64[::1], int64, float64[::1])")
def write_propensities(
    hooks: Hooks,
    formula: int,
    chances: int,
    spec: KernelSpec,
    numbers: Vector,
    rng: Words,
    counts: Chosen,
    step: int,
    out: Vector,
) -> bool:
    """Write the probability of each arm at the choice after `step` others, and return whether they are known.

    The arrays are those of `start_in`; the choice is made on them, so that its caller gives copies. `formula` is the
    address of a propensity hook, `chances` that of a vector rule; either writes NaN where it does not know them.
    """
    state, arms = state_in(numbers, rng, counts), counts[0]
    if state.unexplored[0] > 0:
        out[:] = 0.0
        out[step % arms] = 1.0
        return True
    undrawn = empty((1, 4), np.uint64)  # the stream as it is if the choice is certain, but for a tie
    undrawn[:] = rng
    arm = choose(hooks, spec, state, step)
    if arm < 0:
        return False
    out[:] = 0.0
    out[arm] = 1.0
    if not spec.is_choice:
        share_of_best(array_at(state.scores, arms), 1, out)
        if out[arm] < 1.0:
            next_word(undrawn, 0)
    certain = True
    for word in range(4):
        certain &= undrawn[0, word] == rng[0, word]
    if certain:
        return True
    pulls, means, widths = array_at(state.pulls, arms), array_at(state.means, arms), array_at(state.widths, arms)
    variances, priors, params = (
        array_at(state.variances, arms),
        array_at(state.priors, arms),
        array_at(state.params, counts[1]),
    )
    write = propensities_at(formula)
    memory = array_at(state.memory, (counts[2], 1))
    write(pulls, means, widths, variances, priors, step + 1.0, spec.horizon, params, rng, memory, out)
    if math.isnan(out[0]):
        write_chances = chances_at(chances)
        write_chances(pulls, means, widths, variances, priors, step + 1.0, spec.horizon, params, rng, out)
    return not math.isnan(out[0])


@kernel("void(Hooks, KernelSpec, float64[::1], uint64[:, ::1], int64[::1], int64, int64, int64, int64, float64[::1])")
def count_draws(
    hooks: Hooks,
    spec: KernelSpec,
    numbers: Vector,
    rng: Words,
    counts: Chosen,
    step: int,
    served: int,
    times: int,
    most: int,
    tally: Vector,
) -> None:
    """Count the arms of choices that are drawn anew from one state: until `served` came up so often, at most `most`.

    The state of `numbers` and `counts` is that before the choice; each draw is made on a copy. `rng` is a stream of its
    own.
    """
    copied, more = numbers.copy(), counts.copy()
    for _ in range(most):
        copied[:] = numbers
        more[:] = counts
        tally[choose(hooks, spec, state_in(copied, rng, more), step)] += 1.0
        if served >= 0 and tally[served] >= times:
            return
