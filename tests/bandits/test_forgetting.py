"""Policies that forget: against their papers in plain Python, in worlds that stand still and that jump."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bandits import Bernoulli, Comparison, Piecewise, Policy, make, simulate
from tests import naive, naive_forgetting, naive_worlds

pytestmark = pytest.mark.kernels

HORIZON, RUNS, SEED = 150, 2, 12
MEANS = [[0.2, 0.7, 0.5, 0.65], [0.8, 0.1, 0.5, 0.65]]
JUMPING = Piecewise(MEANS[0], changes=[90], means=MEANS[1:])


def rate(hardness: int, arms: int = 4) -> float:
    """Gamma of corollary 8.3."""
    level = hardness * math.log(arms * HORIZON) + math.e
    return min(1.0, math.sqrt(arms * level / ((math.e - 1.0) * HORIZON)))


TWINS = [
    (make("discounted_ucb"), lambda: naive_forgetting.DiscountedUCB(1.0 - 0.25 * math.sqrt(1 / HORIZON))),
    (make("discounted_ucb", gamma=0.8, xi=0.1), lambda: naive_forgetting.DiscountedUCB(0.8, 0.1)),
    (make("sliding_window_ucb"), lambda: naive_forgetting.SlidingWindowUCB(54)),  # 2 sqrt(150 ln 150) = 54.8
    (make("sliding_window_ucb", changes=25), lambda: naive_forgetting.SlidingWindowUCB(10)),  # a fifth of it, 10.97
    (make("sliding_window_ucb", window=30, xi=0.1), lambda: naive_forgetting.SlidingWindowUCB(30, 0.1)),
    (make("sliding_window_ucb", window=1), lambda: naive_forgetting.SlidingWindowUCB(1)),
    (make("exp3_s"), lambda: naive_forgetting.Exp3S(rate(2), 1.0 / HORIZON)),
    (make("exp3_s", changes=3, gamma=0.2), lambda: naive_forgetting.Exp3S(0.2, 1.0 / HORIZON)),
    (make("exp3_s", gamma=0.9, alpha=0.3), lambda: naive_forgetting.Exp3S(0.9, 0.3)),
]


@pytest.mark.parametrize(("policy", "pick"), TWINS, ids=[str(policy) for policy, _ in TWINS])
def test_the_kernel_pulls_what_the_paper_in_plain_python_pulls(policy: Policy, pick):
    played = simulate(policy, JUMPING, HORIZON, RUNS, SEED, checkpoints=range(1, HORIZON + 1)).replications
    rows = naive_worlds.jumps([90], MEANS, HORIZON)
    for run in range(RUNS):
        steps = naive.play(pick(), rows, naive.bernoulli, SEED, run, explore=0)
        np.testing.assert_array_equal(played.pulls[run], np.bincount([one.arm for one in steps], minlength=4))
        np.testing.assert_allclose(played.pseudo_regret[run], [one.pseudo_regret for one in steps], atol=1e-12)


@pytest.mark.long
@pytest.mark.jit
@pytest.mark.parametrize(("numbers", "changes"), [((0.98, 0.3, 2.0), [30])])
def test_discounted_thompson_sampling_has_the_regret_of_the_paper_in_plain_python(numbers, changes):
    """The draws are others: the kernel draws only what may be the highest."""
    horizon, runs = 60, 150
    arms = Piecewise(MEANS[0], changes=changes, means=MEANS[1:]) if changes else Bernoulli(MEANS[0])
    policy = make("discounted_thompson", **dict(zip(("gamma", "alpha", "beta"), numbers, strict=True)))
    ours = simulate(policy, arms, horizon, 4_000, SEED).replications.pseudo_regret[:, -1]
    rows = naive_worlds.jumps(changes, MEANS, horizon)
    plain = [
        naive.play(naive_forgetting.DiscountedThompson(*numbers), rows, naive.bernoulli, SEED, run, explore=0)
        for run in range(runs)
    ]
    lost = np.array([steps[-1].pseudo_regret for steps in plain])
    assert abs(lost.mean() - ours.mean()) < 5.0 * lost.std() / math.sqrt(runs)


def test_a_window_of_all_pulls_is_ucb1():
    every = range(1, HORIZON + 1)
    window, ucb = (
        simulate(one, MEANS[0], HORIZON, 50, SEED, checkpoints=every).replications.pseudo_regret
        for one in (make("sliding_window_ucb", window=400, xi=2.0), "ucb")
    )
    np.testing.assert_array_equal(window, ucb)


@pytest.mark.jit
def test_without_discount_thompson_sampling_has_the_regret_of_the_one_that_never_forgets():
    still, never = (
        simulate(one, MEANS[0], HORIZON, 3_000, SEED).replications.pseudo_regret[:, -1]
        for one in (make("discounted_thompson", gamma=1.0), "thompson")
    )
    assert abs(still.mean() - never.mean()) < 5.0 * math.hypot(still.std(), never.std()) / math.sqrt(3_000)


def test_with_hardly_a_share_exp3_s_is_exp3():
    shared, exp3 = (
        simulate(one, MEANS[0], HORIZON, 50, SEED).pulls
        for one in (make("exp3_s", gamma=0.1, alpha=1e-200), make("exp3", gamma=0.1))
    )
    np.testing.assert_array_equal(shared, exp3)


def lower(compared: Comparison, first: str, second: str) -> bool:
    """Whether the 95 % interval of the difference, adjusted for all pairs, says that the first has less regret."""
    for row in compared.differences.itertuples():
        if (row.policy_a, row.policy_b) == (first, second):
            return row.ci_high < 0.0
        if (row.policy_a, row.policy_b) == (second, first):
            return row.ci_low > 0.0
    raise AssertionError(f"{first} and {second} are compared")


@pytest.mark.long
@pytest.mark.jit
def test_the_examples_of_garivier_and_moulines_come_out_as_the_page_says():
    """Their section 5, T = 10,000: windows and discounts are ahead of Exp3.S and UCB1, but for one discount."""
    horizon, window, eighth, half = (
        10_000,
        "sliding_window_ucb window=1213",
        "discounted_ucb xi=0.125",
        "discounted_ucb",
    )
    policies = [window, eighth, half, "exp3_s", "ucb c=0.7071"]
    jumping = Piecewise([0.5, 0.3, 0.4], changes=[3_000, 5_000], means=[[0.5, 0.3, 0.9], [0.5, 0.3, 0.4]])
    jumped = simulate(policies, jumping, horizon, 60, SEED)
    swing = [[0.5 + 0.4 * math.cos(6.0 * math.pi * step / horizon), 0.5] for step in range(0, horizon, 10)]
    swung = simulate(policies, Piecewise(swing[0], changes=range(10, horizon, 10), means=swing[1:]), horizon, 60, SEED)
    for compared in (jumped, swung):
        for forgetting in (window, eighth):
            assert lower(compared, forgetting, "exp3_s")
        assert lower(compared, "exp3_s", "ucb c=0.7071")
        assert lower(compared, half, "ucb c=0.7071")
    assert lower(swung, half, "exp3_s")
    assert lower(jumped, "exp3_s", half), "the published order is the other"
