"""Detectors of changes against plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bandits.detection.cusum import CUSUM_ROWS, cusum_step
from bandits.detection.likelihood import GLR_ROWS, glr_step
from bandits.detection.window import WINDOW_ROWS, halves, window_step
from tests import naive_alarms

pytestmark = pytest.mark.kernels


def first_alarm(rewards: list[float], gives_alarm: Callable[[float], bool]) -> int | None:
    return next((number for number, reward in enumerate(rewards, 1) if gives_alarm(reward)), None)


def detect_by_window(rewards: list[float], window: int, threshold: float) -> int | None:
    window = halves(window)
    state = np.zeros((WINDOW_ROWS + window, 1))
    return first_alarm(rewards, lambda reward: window_step(state, 0, 0, reward, window, threshold))


def detect_by_cusum(rewards: list[float], first: int, epsilon: float, threshold: float) -> int | None:
    state = np.zeros((CUSUM_ROWS, 1))
    return first_alarm(rewards, lambda reward: cusum_step(state, 0, 0, reward, float(first), epsilon, threshold))


def detect_by_likelihood(rewards: list[float], delta: float, every: int = 1, splits: int = 1) -> int | None:
    state, pool, level = np.zeros((1 + GLR_ROWS + 2 * (len(rewards) // splits), 1)), 1 + GLR_ROWS, -math.log(delta)
    return first_alarm(rewards, lambda reward: glr_step(state, 1, 0, pool, 0, reward, level, every, splits))


CASES: list[tuple[Any, Any, tuple[float, ...]]] = [
    *((detect_by_window, naive_alarms.window_alarm, numbers) for numbers in ((2, 0.5), (20, 5.4), (60, 11.3))),
    *((detect_by_cusum, naive_alarms.cusum_alarm, numbers) for numbers in ((1, 0.3, 2.7), (25, 0.11, 4.3))),
    *(
        (detect_by_likelihood, naive_alarms.likelihood_alarm, numbers)
        for numbers in ((0.05, 1, 1), (0.3, 5, 3), (0.9, 4, 10))
    ),
]


def sequence(seed: int, means: list[float], each: int, *, fractions: bool = False) -> list[float]:
    """Rewards of 0 and 1, or fractions, `each` of every mean."""
    rng = np.random.default_rng(seed)
    p = np.repeat(means, each)
    return (rng.beta(2.0 * p, 2.0 * (1.0 - p)) if fractions else (rng.random(p.size) < p).astype(float)).tolist()


@pytest.mark.parametrize("fractions", [False, True], ids=["counts", "fractions"])
@pytest.mark.parametrize(("detect", "alarm", "numbers"), CASES)
def test_an_alarm_is_given_where_plain_python_gives_it(detect, alarm, numbers, fractions: bool):
    seen = []
    for seed in range(4):
        rewards = sequence(seed, [0.3, 0.3, 0.8, 0.2], 40, fractions=fractions)
        seen.append(detect(rewards, *numbers))
        assert seen[-1] == naive_alarms.first_alarm(alarm, rewards, *numbers)
    assert any(seen)


@pytest.mark.parametrize(("before", "after"), [(1.0, 0.0), (0.0, 1.0), (0.9, 0.0), (0.1, 1.0)])
def test_a_mean_that_becomes_0_or_1_is_seen_as_early_as_plain_python_sees_it(before: float, after: float):
    seen = []
    for seed in range(2):
        rewards = sequence(seed, [before, after], 60)
        seen.append(detect_by_likelihood(rewards, 1e-6))
        assert seen[-1] == naive_alarms.first_alarm(naive_alarms.likelihood_alarm, rewards, 1e-6, 1, 1)
    assert all(seen)
