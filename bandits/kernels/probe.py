"""The simulation kernel's logic on two replications, with every call of a user's hooks looked at.

Each hook is asked about both replications side by side and then about either alone: the answers must be the same and
whole, and nothing else may be written. It gets copies of what it may read, `out` holding NaN and `arm` no arm.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.kernels.argmax import choose_one
from bandits.kernels.arguments import KernelSpec  # noqa: F401
from bandits.kernels.signatures import SIGNATURES
from numerics.kernels.jit import Matrix, Vector, kernel
from numerics.random import next_uniform

FINE, NAN, WRITES, NONE_CAN_WIN, NOT_ALIKE, ARM, LEARNS_UNALIKE, LEARN_WRITES, INFINITE = range(9)  # verdicts
NO_ARM = -(2**62)


class State(NamedTuple):
    """Where two replications are, so that they can go on."""

    statistics: Matrix[np.float64]  # float64[5, K * 2]: pulls, means, widths, variances, priors
    sums: Vector[np.float64]  # float64[K * 2], of the rewards
    squares: Vector[np.float64]  # float64[K * 2], of the deviations from the mean
    out: Matrix[np.float64]  # float64[1, K * 2]
    memory: Matrix[np.float64]  # float64[M, 2]
    arm: Vector[np.int64]  # int64[2]
    rule_rng: Matrix[np.uint64]  # uint64[2, 4]
    reward_rng: Matrix[np.uint64]  # uint64[2, 4]
    place: Vector[np.int64]  # int64[2]: steps done; whether the learn hook is at work


functions = ", ".join(f"FunctionType({SIGNATURES[kind]})" for kind in ("score", "select", "learn", "law"))


@kernel()
def _part(values, first, size):
    """Return what belongs to `size` of the two replications, from `first` on: float64[..., K * size]."""
    own = np.empty((values.shape[0], values.shape[1] // 2 * size))
    for row in range(values.shape[0]):
        for a in range(values.shape[1] // 2):
            for r in range(size):
                own[row, a * size + r] = values[row, a * 2 + first + r]
    return own


@kernel()
def _differs(part, values, first, size):
    """Whether a part holds something else than `_part` gives; NaN is the same as NaN."""
    for row in range(values.shape[0]):
        for a in range(values.shape[1] // 2):
            for r in range(size):
                x, y = part[row, a * size + r], values[row, a * 2 + first + r]
                if x != y and not (math.isnan(x) and math.isnan(y)):
                    return True
    return False


@kernel()
def _streams(rng, first, size):
    """Return a copy of the streams of `size` replications, from `first` on."""
    words = np.empty((size, 4), np.uint64)
    for r in range(size):
        for word in range(4):
            words[r, word] = rng[first + r, word]
    return words


@kernel(f"int64({functions}, KernelSpec, float64[:, ::1], float64[:, ::1], int64, float64, State, int64)")
def play(score, select, learn, law, spec, truth, numbers, horizon, told, state, work):
    """Go on for about `work` scores, or up to the horizon; return a verdict, `FINE` unless a hook is at fault.

    The rule finds the number `told` in its argument `horizon`.
    """
    arms = truth.shape[1]
    statistics, out, arm, place = state.statistics, state.out, state.arm, state.place
    params = spec.params.copy()
    target, uniform, paid = np.empty(2), np.empty(2), np.empty(2)
    while place[0] < horizon and work > 0:
        t = place[0] + 1.0
        place[1] = 0
        work -= 1
        asked = place[0] >= spec.estimates.explore * arms
        work -= arms if asked else 0
        after = _part(state.memory, 0, 2)
        for who in range(3 if asked else 0):
            first, size = max(0, who - 1), 2 if who == 0 else 1
            given, words = _part(statistics, first, size), _streams(state.rule_rng, first, size)
            memory, chosen = _part(state.memory, first, size), np.full(size, NO_ARM)
            scores = np.full((1, arms * size), np.nan)
            if spec.is_choice:
                select(given[0], given[1], given[2], given[3], given[4], t, told, params, words, memory, chosen)
            else:
                score(given[0], given[1], given[2], given[3], given[4], t, told, params, words, scores[0])
            unchanged = not _differs(given, statistics, first, size)
            for number in range(params.size):
                unchanged &= params[number] == spec.params[number]
            if not unchanged:
                return WRITES
            if who == 0:
                for r in range(2):
                    arm[r], best = chosen[r], -np.inf
                    if spec.is_choice and not 0 <= chosen[r] < arms:
                        return ARM
                    for a in range(arms):
                        out[0, a * 2 + r] = scores[0, a * 2 + r]
                        best = max(best, scores[0, a * 2 + r])
                        if not spec.is_choice and math.isnan(scores[0, a * 2 + r]):
                            for i in range(scores[0].size):  # Numba takes two seconds to compile the whole row
                                out[0, i] = scores[0, i]
                            return NAN
                        if scores[0, a * 2 + r] == math.inf and statistics[0, a * 2 + r] > 0.0:
                            out[0, :] = scores[0]
                            return INFINITE
                    if not spec.is_choice and best == -np.inf:
                        return NONE_CAN_WIN
                after = memory
                continue
            if (
                _differs(scores, out, first, 1)
                or _differs(memory, after, first, 1)
                or (spec.is_choice and chosen[0] != arm[first])
            ):
                return NOT_ALIKE
            if not spec.is_choice:
                arm[first] = choose_one(scores[0], arms, words, 0)
            for row in range(memory.shape[0]):
                state.memory[row, first] = memory[row, 0]
            for word in range(4):
                state.rule_rng[first, word] = words[0, word]

        for r in range(2):
            if not asked:
                arm[r] = place[0] % arms
            target[r], uniform[r] = truth[r, arm[r]], next_uniform(state.reward_rng, r)
        law(uniform, target, arm, numbers, paid)
        for r in range(2):
            i = arm[r] * 2 + r
            pulls, total = statistics[0, i], state.sums[i]
            before = total / pulls if pulls > 0.0 else 0.0
            pulls, total = pulls + 1.0, total + paid[r]
            statistics[0, i], state.sums[i] = pulls, total
            statistics[2, i] = 1.0 / math.sqrt(pulls)
            if spec.needs_variances:
                state.squares[i] += (paid[r] - before) * (paid[r] - total / pulls)
                statistics[3, i] = state.squares[i] / pulls
            if spec.estimates.step_size > 0.0:
                statistics[1, i] += spec.estimates.step_size * (paid[r] - statistics[1, i])
            else:
                statistics[1, i] = (spec.estimates.prior_pulls * spec.estimates.initial + total) / (
                    spec.estimates.prior_pulls + pulls
                )

        place[1] = 1
        for who in range(3 if spec.has_learn else 0):
            first, size = max(0, who - 1), 2 if who == 0 else 1
            memory, pulled, reward = _part(state.memory, first, size), np.empty(size, np.int64), np.empty(size)
            for r in range(size):
                pulled[r], reward[r] = arm[first + r], paid[first + r]
            learn(memory, pulled, reward)
            for r in range(size):
                if pulled[r] != arm[first + r] or reward[r] != paid[first + r]:
                    return LEARN_WRITES
            if who == 0:
                after = memory
                continue
            if _differs(memory, after, first, 1):
                return LEARNS_UNALIKE
            for row in range(memory.shape[0]):
                state.memory[row, first] = memory[row, 0]
        place[0] += 1
    return FINE
