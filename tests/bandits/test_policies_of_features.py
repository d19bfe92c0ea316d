"""Policies that see features: the arms that naive twins choose, from the same random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bandits import Linear, LinEpsilonGreedy, LinThompson, Logistic, LogisticThompson, Policy, simulate
from bandits.simulation import replicate_steps
from numerics.random import Purpose
from tests import naive, naive_contexts

pytestmark = pytest.mark.kernels

HORIZON, SEED = 60, 5
NORMAL = Linear(arms=3, features=4, scale=0.5)
COINS = Logistic(arms=3, features=4)
TWINS: list[tuple[Policy, type[naive_contexts.Ridge], Any]] = [
    (LinThompson(scale=0.5), naive_contexts.Ridge, naive_contexts.thompson_choice),
    (LinThompson(ridge=0.2), naive_contexts.Ridge, naive_contexts.thompson_choice),
    (LinEpsilonGreedy(epsilon=0.3), naive_contexts.Ridge, naive_contexts.greedy_choice),
    (LinEpsilonGreedy(epsilon=0.8, decay=6.0), naive_contexts.Ridge, naive_contexts.greedy_choice),
    (LogisticThompson(), naive_contexts.Logistic, naive_contexts.thompson_choice),
    (LogisticThompson(scale=0.3, ridge=0.1), naive_contexts.Logistic, naive_contexts.thompson_choice),
]


@pytest.mark.parametrize(("policy", "model", "choose"), TWINS, ids=lambda value: getattr(value, "__name__", str(value)))
def test_a_policy_chooses_the_arms_of_its_naive_twin(policy: Policy, model: Any, choose: Any):
    arms = COINS if policy.unit_rewards else NORMAL
    number, decay = getattr(policy, "epsilon", getattr(policy, "scale", None)), getattr(policy, "decay", None)
    for run in (0, 3):
        _, steps = replicate_steps(policy, arms, HORIZON, SEED, run)
        seen = arms.with_features(SEED, run, 1, HORIZON)[2][0]
        twin = model(arms.count, arms.dimension, getattr(policy, "ridge", 1.0))
        rng = naive.Xoshiro(naive.stream(SEED, (Purpose.POLICY,), run))
        for step, x in enumerate(seen):
            arm = choose(twin, x, number if decay is None else min(number, decay / (step + 1)), rng)
            assert arm == steps.arm[step], step
            twin.learn(arm, x, steps.reward[step])
        assert len(set(steps.arm)) == arms.count
    whole = simulate(policy, arms, HORIZON, 4, SEED, checkpoints=[HORIZON]).replications
    assert whole.pulls[3].tolist() == np.bincount(steps.arm, minlength=arms.count).tolist()
