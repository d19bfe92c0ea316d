"""Policies that forget: against their papers in plain Python, in worlds that stand still and that jump."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bandits import Arms, Bernoulli, Piecewise, Policy, make, simulate
from tests import naive, naive_forgetting, naive_worlds

pytestmark = pytest.mark.kernels

HORIZON, RUNS, SEED = 150, 4, 12
MEANS = [[0.2, 0.7, 0.5, 0.65], [0.8, 0.1, 0.5, 0.65]]
JUMPING = Piecewise(MEANS[0], changes=[90], means=MEANS[1:])
TWINS = [
    (make("discounted_ucb"), lambda: naive_forgetting.DiscountedUCB(1.0 - 0.25 * math.sqrt(1 / HORIZON))),
    (make("discounted_ucb", changes=9), lambda: naive_forgetting.DiscountedUCB(1.0 - 0.25 * math.sqrt(9 / HORIZON))),
    (make("discounted_ucb", gamma=0.8, xi=0.1), lambda: naive_forgetting.DiscountedUCB(0.8, 0.1)),
]


@pytest.mark.parametrize("arms", [Bernoulli(MEANS[0]), JUMPING], ids=["still", "jumping"])
@pytest.mark.parametrize(("policy", "pick"), TWINS, ids=[str(policy) for policy, _ in TWINS])
def test_the_kernel_pulls_what_the_paper_in_plain_python_pulls(policy: Policy, pick, arms: Arms):
    played = simulate(policy, arms, HORIZON, RUNS, SEED, checkpoints=range(1, HORIZON + 1)).replications
    rows = naive_worlds.jumps([90] if arms.changing else [], MEANS, HORIZON)
    for run in range(RUNS):
        steps = naive_worlds.play(pick(), rows, naive.bernoulli, SEED, run, explore=0)
        np.testing.assert_array_equal(played.pulls[run], np.bincount([one.arm for one in steps], minlength=4))
        np.testing.assert_allclose(played.pseudo_regret[run], [one.dynamic for one in steps], atol=1e-12)
