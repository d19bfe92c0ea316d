"""Policies that forget or restart at alarms, and detectors: against their papers in plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bandits import Piecewise, Policy, make, simulate
from bandits.detection.cusum import CUSUM_ROWS, cusum_step
from bandits.detection.likelihood import GLR_ROWS, glr_step
from bandits.detection.window import WINDOW_ROWS, halves, window_step
from tests import naive, naive_alarms, naive_forgetting, naive_worlds

pytestmark = pytest.mark.kernels

HORIZON, RUNS, SEED = 240, 2, 12
MEANS = [[0.1, 0.9, 0.5, 0.75], [0.9, 0.1, 0.5, 0.75]]
JUMPING = Piecewise(MEANS[0], changes=[120], means=MEANS[1:])


def rate(hardness: int, arms: int = 4) -> float:
    """Gamma of corollary 8.3."""
    level = hardness * math.log(arms * HORIZON) + math.e
    return min(1.0, math.sqrt(arms * level / ((math.e - 1.0) * HORIZON)))


def cusum_tuning(changes: int) -> tuple[float, float]:
    """The threshold and the probability of an arm at random."""
    return math.log(HORIZON / changes), math.sqrt(changes / HORIZON * math.log(HORIZON / changes))


TWINS = [
    (make("discounted_ucb"), lambda: naive_forgetting.DiscountedUCB(1.0 - 0.25 * math.sqrt(1 / HORIZON))),
    (make("discounted_ucb", gamma=0.8, xi=0.1), lambda: naive_forgetting.DiscountedUCB(0.8, 0.1)),
    (make("sliding_window_ucb"), lambda: naive_forgetting.SlidingWindowUCB(72)),  # 2 sqrt(240 ln 240) = 72.5
    (make("sliding_window_ucb", changes=25), lambda: naive_forgetting.SlidingWindowUCB(14)),  # a fifth of it
    (make("sliding_window_ucb", window=30, xi=0.1), lambda: naive_forgetting.SlidingWindowUCB(30, 0.1)),
    (
        make("sliding_window_ucb", window=400, xi=2.0),
        lambda: naive_forgetting.SlidingWindowUCB(400, 2.0),
    ),  # of all pulls
    (make("sliding_window_ucb", window=1), lambda: naive_forgetting.SlidingWindowUCB(1)),
    (make("exp3_s"), lambda: naive_forgetting.Exp3S(rate(2), 1.0 / HORIZON)),
    (make("exp3_s", changes=3, gamma=0.2), lambda: naive_forgetting.Exp3S(0.2, 1.0 / HORIZON)),
    (make("exp3_s", gamma=0.9, alpha=0.3), lambda: naive_forgetting.Exp3S(0.9, 0.3)),
    (make("m_ucb", window=10, threshold=3.5), lambda: naive_alarms.MUCB(4, HORIZON, 10, 3.5, None, 1)),
    (make("m_ucb", window=6, threshold=1.5, gamma=0.0), lambda: naive_alarms.MUCB(4, HORIZON, 6, 1.5, 0.0, 1)),
    (make("cusum_ucb", changes=7, first=5, epsilon=0.05), lambda: naive_alarms.CUSUMUCB(4, 5, 0.05, *cusum_tuning(7))),
    (
        make("cusum_ucb", first=9, threshold=2.45, alpha=0.0, xi=1.0),
        lambda: naive_alarms.CUSUMUCB(4, 9, 0.1, 2.45, 0.0, 1.0),
    ),
    (make("glr_kl_ucb"), lambda: naive_alarms.GLRKLUCB(4, HORIZON, None, 1.0, 10, 10, True)),
    (make("glr_kl_ucb", restart="global"), lambda: naive_alarms.GLRKLUCB(4, HORIZON, None, 1.0, 10, 10, False)),
    (
        make("glr_kl_ucb", delta=0.5, alpha=0.0, every=1, splits=1),
        lambda: naive_alarms.GLRKLUCB(4, HORIZON, 0.5, 0.0, 1, 1, True),
    ),
    (
        make("glr_kl_ucb", restart="global", delta=0.3, alpha=0.5, every=3, splits=7),
        lambda: naive_alarms.GLRKLUCB(4, HORIZON, 0.3, 0.5, 3, 7, False),
    ),
]


@pytest.mark.parametrize(("policy", "pick"), TWINS, ids=[str(policy) for policy, _ in TWINS])
def test_the_kernel_pulls_what_the_paper_in_plain_python_pulls(policy: Policy, pick):
    played = simulate(policy, JUMPING, HORIZON, RUNS, SEED, checkpoints=range(1, HORIZON + 1)).replications
    rows = naive_worlds.jumps([120], MEANS, HORIZON)
    for run in range(RUNS):
        twin = pick()
        steps = naive.play(twin, rows, naive.bernoulli, SEED, run, explore=0)
        np.testing.assert_array_equal(played.pulls[run], np.bincount([one.arm for one in steps], minlength=4))
        np.testing.assert_allclose(played.pseudo_regret[run], [one.pseudo_regret for one in steps], atol=1e-12)
        if policy.alarms:
            np.testing.assert_array_equal(played.alarms[run, :-1], twin.counts[1:])
    assert (played.alarms.size > 0) == policy.alarms
    assert not policy.alarms or (played.alarms[:, -1] > 0).any(), "else this compares no restarts"


@pytest.mark.long
@pytest.mark.jit
def test_discounted_thompson_sampling_has_the_regret_of_the_paper_in_plain_python():
    """The draws are others: the kernel draws only what may be the highest."""
    horizon, runs, numbers = 60, 100, {"gamma": 0.98, "alpha": 0.3, "beta": 2.0}
    arms = Piecewise(MEANS[0], changes=[30], means=MEANS[1:])
    ours = simulate(make("discounted_thompson", **numbers), arms, horizon, 4_000, SEED).pseudo_regret
    rows, twin = naive_worlds.jumps([30], MEANS, horizon), naive_forgetting.DiscountedThompson
    plain = [naive.play(twin(*numbers.values()), rows, naive.bernoulli, SEED, run, explore=0) for run in range(runs)]
    lost = np.array([steps[-1].pseudo_regret for steps in plain])
    assert abs(lost.mean() - ours.mean()) < 5.0 * lost.std() / math.sqrt(runs)


# ---------------------------------------------------------------- detectors


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
