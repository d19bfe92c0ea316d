"""Naive twins of the worlds that change: plain Python, one replication and one step at a time; see `tests.naive`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from tests.naive import Xoshiro, stream

Rows = Sequence[Sequence[float]]  # the K means of each step
CHANGES = 4  # the purpose of the streams of changes


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


def best_arms(changes: Sequence[int], means: Sequence[float], best: float, horizon: int, seed: int, run: int) -> Rows:
    """The means of each step, where one arm at a time pays `best`, and another one after each change."""
    arm, rows = math.floor(len(means) * uniform(seed, (CHANGES, 2, 0), run)), list[list[float]]()
    for step in range(horizon):
        if step in changes:
            others = [other % len(means) for other in range(arm + 1, arm + len(means))]
            arm = others[math.floor(len(others) * uniform(seed, (CHANGES, 2, changes.index(step) + 1), run))]
        rows.append([best if a == arm else mean for a, mean in enumerate(means)])
    return rows


def walks(
    means: Sequence[float], step: float, every: int, low: float, high: float, horizon: int, seed: int, run: int
) -> Rows:
    """The means of each step, which walk every so many pulls, and turn back at both ends."""
    rng, rows = Xoshiro(stream(seed, (CHANGES, 3), run)), [list(means)]
    for t in range(1, horizon):
        if t % every:
            rows.append(rows[-1])
            continue
        moved = []
        for mean in rows[-1]:
            new = mean + step * NormalDist().inv_cdf(rng.uniform() + 2.0**-54)
            while not low <= new <= high:
                new = 2.0 * (low if new < low else high) - new
            moved.append(new)
        rows.append(moved)
    return rows


def swings(means: Sequence[float], amplitude: float, period: float, every: int, horizon: int) -> Rows:
    """The means of each step, which swing about those given."""
    return [
        [
            mean + amplitude * math.sin(math.tau * ((step - step % every) / period + a / len(means)))
            for a, mean in enumerate(means)
        ]
        for step in range(horizon)
    ]
