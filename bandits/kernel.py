"""The simulation kernel: L replications of one policy advance together, one pull each, for T steps.

Statistics are kept arm-major, float64[K * L], so that a rule and the argmax are loops over neighbours. A step:

    choose (rule + argmax)  ->  reward of the pulled arm  ->  reward r* of the best arm  ->  statistics of one arm

Pseudo-regret and gain follow from pulls and sums, so that they cost nothing between the checkpoints.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import float64, int64, types, uint64, void

from bandits.argmax import choose_best
from bandits.hooks import signatures
from bandits.method import method_type
from numerics.jit import kernel
from numerics.random import fill_uniforms

_VECTOR, _TABLE, _WORDS = float64[::1], float64[:, ::1], uint64[:, ::1]


class Problem(NamedTuple):
    """What is played: R replications of a K-armed bandit."""

    means: np.ndarray  # float64[R, K]
    scale: float
    horizon: int
    checkpoints: np.ndarray  # int64[C], increasing, values of t in 1 ... T


class Streams(NamedTuple):
    """One random stream a replication for each purpose; all advance in place."""

    rule: np.ndarray  # uint64[R, 4]
    reward: np.ndarray  # uint64[R, 4], shared by all policies of a run
    best: np.ndarray  # uint64[R, 4]


class Record(NamedTuple):
    """What is kept: values at the checkpoints, and pull counts at the end."""

    pulls: np.ndarray  # int64[R, K]
    pseudo_regret: np.ndarray  # float64[R, C]
    gain: np.ndarray  # float64[R, C], the sum of rewards
    best_gain: np.ndarray  # float64[R, C], the sum of r*
    reward: np.ndarray  # float64[R, C], the reward at step t itself
    optimal: np.ndarray  # uint8[R, C], whether step t pulled a best arm


class Trace(NamedTuple):
    """Every step of the first replication, or empty arrays."""

    arm: np.ndarray  # int64[T]
    reward: np.ndarray  # float64[T]
    best_reward: np.ndarray  # float64[T]
    means: np.ndarray  # float64[T, K], the estimates before the pull
    scores: np.ndarray  # float64[T, K], the scores that chose; NaN where no index was asked for


def _named(cls: type, *fields: Any) -> Any:
    return types.BaseTuple.from_types(fields, cls)


_PROBLEM = _named(Problem, _TABLE, float64, int64, int64[::1])
_STREAMS = _named(Streams, _WORDS, _WORDS, _WORDS)
_RECORD = _named(Record, int64[:, ::1], _TABLE, _TABLE, _TABLE, _TABLE, types.uint8[:, ::1])
_TRACE = _named(Trace, int64[::1], _VECTOR, _VECTOR, _TABLE, _TABLE)
_HOOKS: Any = [types.FunctionType(signatures()[kind]) for kind in ("score", "select", "learn", "law")]
_SIGNATURE: Any = void(*_HOOKS, method_type(), _PROBLEM, _STREAMS, _RECORD, _TRACE, int64)


@kernel()
def row(size, value):
    """Return float64[size] that begins on a cache line: vector loads that straddle two lines take twice as long."""
    room = np.full(size + 8, value)
    skip = -int(room.ctypes.data) // 8 % 8
    return room[skip : skip + size]


@kernel(_SIGNATURE)
def play(score, select, learn, law, method, problem, streams, record, trace, block):
    """Play every replication of `problem` with `method`, `block` at a time, and fill `record` (and `trace`)."""
    runs, arms = problem.means.shape
    for first in range(0, runs, block):
        size = min(block, runs - first)
        cells = arms * size
        pulls, sums, squares, variances = row(cells, 0.0), row(cells, 0.0), row(cells, 0.0), row(cells, 0.0)
        means, widths, priors = row(cells, method.initial), row(cells, np.inf), row(cells, 1.0 / arms)
        truth, out = row(cells, 0.0), row(cells, 0.0)
        arm, top, second = row(size, 0.0).view(np.int64), row(size, 0.0), row(size, 0.0)
        uniform, target, reward, best_reward = row(size, 0.0), row(size, 0.0), row(size, 0.0), row(size, 0.0)
        count, total, mean, width = row(size, 0.0), row(size, 0.0), row(size, 0.0), row(size, 0.0)
        best_mean, best_gain = row(size, 0.0), row(size, 0.0)
        memory = row(method.memory * size, 0.0).reshape((method.memory, size))
        rule_rng = streams.rule[first : first + size]
        reward_rng = row(4 * size, 0.0).view(np.uint64).reshape((4, size))
        best_rng = row(4 * size, 0.0).view(np.uint64).reshape((4, size))
        for r in range(size):
            best_mean[r] = -np.inf
            for a in range(arms):
                truth[a * size + r] = problem.means[first + r, a]
                best_mean[r] = max(best_mean[r], truth[a * size + r])
            for word in range(4):
                reward_rng[word, r] = streams.reward[first + r, word]
                best_rng[word, r] = streams.best[first + r, word]
        reached = 0
        for step in range(problem.horizon):
            indexed = False
            if step < method.explore * arms:
                arm[:] = step % arms
            elif method.chooses:
                select(
                    pulls, means, widths, variances, priors, step + 1.0, float(problem.horizon),
                    method.params, rule_rng, memory, arm,
                )  # fmt: skip
            else:
                score(
                    pulls, means, widths, variances, priors, step + 1.0, float(problem.horizon),
                    method.params, rule_rng, out,
                )  # fmt: skip
                choose_best(out, rule_rng, top, second, arm)
                indexed = True

            for r in range(size):
                target[r] = truth[np.uint64(arm[r] * size + r)]  # unsigned: no check for an index from the end
            fill_uniforms(reward_rng, uniform)
            law(uniform, target, problem.scale, reward)
            fill_uniforms(best_rng, uniform)
            law(uniform, best_mean, problem.scale, best_reward)

            if first == 0 and trace.arm.size > 0:
                trace.arm[step], trace.reward[step], trace.best_reward[step] = arm[0], reward[0], best_reward[0]
                for a in range(arms):
                    trace.means[step, a] = means[a * size]
                    trace.scores[step, a] = out[a * size] if indexed else np.nan

            if method.spreads:
                for r in range(size):  # Welford: the sum of squared deviations from the running sample mean
                    i = np.uint64(arm[r] * size + r)
                    before = sums[i] / pulls[i] if pulls[i] > 0.0 else 0.0
                    after = (sums[i] + reward[r]) / (pulls[i] + 1.0)
                    squares[i] += (reward[r] - before) * (reward[r] - after)
                    variances[i] = squares[i] / (pulls[i] + 1.0)
            # The division and the root stand in a loop of their own, over neighbours, so that they vectorise.
            for r in range(size):
                i = np.uint64(arm[r] * size + r)
                n, s = pulls[i] + 1.0, sums[i] + reward[r]
                pulls[i], sums[i], count[r], total[r] = n, s, n, s
            weight, start = method.prior_pulls, method.prior_pulls * method.initial
            for r in range(size):
                best_gain[r] += best_reward[r]
                mean[r] = (start + total[r]) / (weight + count[r])
                width[r] = 1.0 / math.sqrt(count[r])
            if method.step_size > 0.0:
                for r in range(size):
                    before = means[np.uint64(arm[r] * size + r)]
                    mean[r] = before + method.step_size * (reward[r] - before)
            for r in range(size):
                i = np.uint64(arm[r] * size + r)
                means[i], widths[i] = mean[r], width[r]
            if method.learns:
                learn(memory, arm, reward)

            if reached < problem.checkpoints.size and step + 1 == problem.checkpoints[reached]:
                for r in range(size):
                    regret, gain = 0.0, 0.0
                    for a in range(arms):
                        i = a * size + r
                        regret += (best_mean[r] - truth[i]) * pulls[i]
                        gain += sums[i]
                    record.pseudo_regret[first + r, reached] = regret
                    record.gain[first + r, reached] = gain
                    record.best_gain[first + r, reached] = best_gain[r]
                    record.reward[first + r, reached] = reward[r]
                    record.optimal[first + r, reached] = target[r] == best_mean[r]
                reached += 1
        for r in range(size):
            for a in range(arms):
                record.pulls[first + r, a] = int(pulls[a * size + r])
