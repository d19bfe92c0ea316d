"""Naive twins of the worlds that change: plain Python, one replication and one step at a time; see `tests.naive`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tests.naive import Pick, Xoshiro, stream

Rows = Sequence[Sequence[float]]  # the K means of each step
CHANGES = 4  # the purpose of the streams of changes


class Moved(NamedTuple):
    """A step in a world that changes, and the sums up to it."""

    arm: int
    reward: float
    best: bool  # whether the arm was a best one then
    dynamic: float  # the regret against the best arm of each moment
    fixed: float  # and against the best fixed arm so far
    realised: float


def play(
    pick: Pick, rows: Rows, law: Callable[[float, float, float], float], seed: int, run: int, *, scale: float = 1.0
) -> list[Moved]:
    """Play one replication of `len(rows)` pulls, each arm once first; the means of step s are `rows[s]`."""
    rule, pay, pay_best = (Xoshiro(stream(seed, (purpose,), run)) for purpose in range(3))
    arms = len(rows[0])
    n, total, v = ([0.0] * arms for _ in range(3))
    m, best_gain, dynamic, earned, sums, steps = [0.0] * arms, 0.0, 0.0, 0.0, [0.0] * arms, list[Moved]()
    for t, means in enumerate(rows, 1):
        a = t - 1 if t <= arms else pick(n, m, v, float(t), rule)
        reward = law(pay.uniform(), means[a], scale)
        best_gain += law(pay_best.uniform(), max(means), scale)
        n[a], total[a] = n[a] + 1.0, total[a] + reward
        m[a] = total[a] / n[a]
        dynamic += max(means) - means[a]
        earned += means[a]
        sums = [sum_ + mean for sum_, mean in zip(sums, means, strict=True)]
        best = means[a] == max(means)
        steps.append(Moved(a, reward, best, dynamic, max(sums) - earned, best_gain - sum(total)))
    return steps


def uniform(seed: int, purpose: tuple[int, ...], run: int, number: int = 0) -> float:
    """The middle of a step of the grid that a word of a stream's state names."""
    return min(((stream(seed, purpose, run)[number] >> 11) + 0.5) / 2**53, 1.0 - 2.0**-53)


def jumps(changes: Sequence[int], means: Rows, horizon: int) -> list[Sequence[float]]:
    """The means of each step, where the next row holds after each number of pulls in `changes`."""
    return [means[sum(change <= step for change in changes)] for step in range(horizon)]


def random_changes(rate: float, horizon: int, seed: int, run: int) -> list[int]:
    """The pulls after which means change, with this probability before each pull but the first."""
    changes, at, number = list[int](), 0, 1
    while True:
        at += 1 + math.floor(math.log(uniform(seed, (CHANGES, 0, number), run)) / math.log1p(-rate))
        if at >= horizon:
            return changes
        changes.append(at)
        number += 1
