"""Replay of policies that see features, row by row: against plain Python, and against what they earn on the arms."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from bandits import LinEpsilonGreedy, LinThompson, LinUCB, Log, Logistic, LogisticThompson, Policy, make, simulate
from numerics.random import Purpose
from tests import naive, naive_contexts
from tests.internals import _features_seen, replay

pytestmark = pytest.mark.kernels

ARMS = Logistic(weights=[[1.0, 2.0, 0.0], [0.0, -2.0, 1.0], [-1.0, 0.0, -3.0]])
NAMES = ("a", "b", "c")
TWINS: list[tuple[Policy, type[naive_contexts.Ridge], Any, float]] = [
    (LinUCB(alpha=0.7), naive_contexts.Ridge, naive_contexts.bound_choice, 0.7),
    (LinThompson(scale=0.5), naive_contexts.Ridge, naive_contexts.thompson_choice, 0.5),
    (LinEpsilonGreedy(epsilon=0.2), naive_contexts.Ridge, naive_contexts.greedy_choice, 0.2),
    (LogisticThompson(), naive_contexts.Logistic, naive_contexts.thompson_choice, 1.0),
]


@functools.cache
def log_of(rows: int, seed: int, *, steep: bool = False) -> Log:
    """A log of arms shown uniformly at random, or, where steep, by what the features say."""
    rng = np.random.default_rng(seed)
    _, means, features = ARMS.with_features(seed, 0, 1, rows)
    shown = np.exp(0.7 * features[0]) if steep else np.ones((rows, 3))
    shown /= shown.sum(axis=1, keepdims=True)
    arm = (rng.random((rows, 1)) > shown.cumsum(axis=1)).sum(axis=1).astype(np.int32)
    every = np.arange(rows)
    reward = (rng.random(rows) < means[0, every, arm]).astype(float)
    return Log(NAMES, arm, reward, shown[every, arm], features=features[0])


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("policy", "model", "choose", "number"), TWINS, ids=[str(twin[0]) for twin in TWINS])
def test_a_row_counts_where_the_policy_chooses_its_arm_given_its_features(policy, model, choose, number):
    log, seed = log_of(300, 1), 3
    assert log.features is not None
    twin, rng, counted = model(3, 3), naive.Xoshiro(naive.stream(seed, (Purpose.POLICY,), 0)), []
    for row, x in enumerate(log.features):
        arm = choose(twin, x, number, rng)
        if arm == log.arm[row] and len(counted) < 100:
            twin.learn(arm, x, log.reward[row])
            counted.append(row)
    played = replay(log, policy, seed)
    assert played.arm.tolist() == log.arm[counted].tolist()
    assert played.reward.tolist() == log.reward[counted].tolist()
    assert len(counted) > 80


@pytest.mark.sampled(2)
@pytest.mark.jit
@pytest.mark.parametrize("steep", [False, True], ids=["uniform", "by features"])
@pytest.mark.parametrize("policy", [policy for policy, *_ in TWINS], ids=str)
def test_what_a_policy_earns_on_logs_is_what_it_earns_on_the_arms(policy: Policy, steep: bool):
    horizon, rows = 150, 1_500 if steep else 600
    earned = [replay(log_of(rows, seed, steep=steep), policy, seed).reward for seed in range(100)]
    long = [rewards[:horizon].mean() for rewards in earned if rewards.size >= horizon]
    assert len(long) > 80
    truth = simulate(policy, ARMS, horizon, 2_000).replications.reward_sum[:, -1] / horizon
    error = np.sqrt(np.var(long) / len(long) + truth.var() / truth.size)
    assert abs(np.mean(long) - truth.mean()) < 4.0 * error
    blind = simulate("thompson", ARMS, horizon, 2_000).replications.reward_sum[:, -1] / horizon
    assert truth.mean() > blind.mean() + 10.0 * error, "else features do not matter here"


@pytest.mark.parametrize(("policy", "model", "choose", "number"), TWINS, ids=[str(twin[0]) for twin in TWINS])
def test_every_row_of_a_wide_log_with_features_counts(policy, model, choose, number):
    features = np.random.default_rng(2).normal(size=(60, 2))
    rewards = (np.random.default_rng(5).random((60, 3)) < 0.5).astype(float)
    log = Log(NAMES, np.empty(0, np.int32), np.empty(0), rewards=rewards, features=features)
    twin, rng, chosen = model(3, 3), naive.Xoshiro(naive.stream(0, (Purpose.POLICY,), 0)), []
    for row, x in enumerate(np.column_stack([np.ones(60), features])):  # none of the features is a constant
        chosen.append(choose(twin, x, number, rng))
        twin.learn(chosen[-1], x, rewards[row, chosen[-1]])
    played = replay(log, policy)
    assert played.arm.tolist() == chosen
    assert played.reward.tolist() == rewards[np.arange(60), chosen].tolist()


@pytest.mark.parametrize("constant", [0.0, 1e-9, 1.0, 5.0, -1.0])
def test_a_constant_feature_is_the_intercept_unless_it_is_nought_or_tiny(constant):
    log = log_of(40, 1)
    assert log.features is not None
    features = np.column_stack([log.features[:, 1:], np.full(40, constant)])
    seen = _features_seen(Log(log.names, log.arm, log.reward, log.propensity, features=features))
    if abs(constant) < 0.1:
        assert seen.tolist() == np.column_stack([np.ones(40), features]).tolist()
    else:
        assert seen.tolist() == features.tolist()


def test_a_feature_that_is_0_in_every_row_changes_no_choice():
    rng = np.random.default_rng(2)
    seen, arm = rng.integers(2, size=600), rng.integers(2, size=600)
    reward = (rng.random(600) < np.where(seen == arm, 0.8, 0.1)).astype(float)
    asked = ("a", "b"), arm.astype(np.int32), reward, np.full(600, 0.5)
    with_zeros = replay(Log(*asked, features=np.column_stack([seen, np.zeros(600)])), make("linucb"))
    without = replay(Log(*asked, features=seen[:, None]), make("linucb"))
    assert with_zeros.arm.tolist() == without.arm.tolist()
    assert without.reward.mean() > 0.7


@pytest.mark.jit
def test_a_log_without_features_is_refused_by_policies_that_need_them():
    log = log_of(300, 1)
    with pytest.raises(ValueError, match=r"log must have features for linucb; got 300 rows"):
        replay(Log(log.names, log.arm, log.reward, log.propensity), make("linucb"))
    with pytest.raises(ValueError, match=r"rewards of the log must be in \[0, 1\] for logistic_thompson; got 0 to 9$"):
        replay(Log(log.names, log.arm, log.reward * 9.0, log.propensity, features=log.features), LogisticThompson())
