"""Replay of a policy that learns on a log: which rows count, and what they show."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np
import pytest

from bandits import (
    LinEpsilonGreedy,
    LinThompson,
    LinUCB,
    Log,
    Logistic,
    LogisticThompson,
    Policy,
    evaluate,
    make,
)
from bandits.replications import Replications
from numerics.random import Purpose
from tests import naive, naive_contexts
from tests.internals import REPLAYS, _features_seen, _play, learn, replay
from tests.refusals import refused

pytestmark = pytest.mark.kernels

MEANS = (0.2, 0.5, 0.7)


def uniform_log(rows: int, seed: int) -> Log:
    rng = np.random.default_rng(seed)
    arm = rng.integers(3, size=rows, dtype=np.int32)
    reward = (rng.random(rows) < np.array(MEANS)[arm]).astype(float)
    return Log(("a", "b", "c"), arm, reward, np.full(rows, 1.0 / 3.0))


@pytest.mark.parametrize("name", ["ucb", "thompson", "exp3"])
def test_only_rows_whose_arm_is_chosen_count_and_each_pays_what_the_log_says(name):
    log = uniform_log(600, 1)
    played = replay(log, make(name), seed=3)
    row, rewards = 0, []
    for arm in played.arm:
        while log.arm[row] != arm:
            row += 1
        rewards.append(log.reward[row])
        row += 1
    assert played.reward.tolist() == rewards
    assert 150 <= played.reward.size <= 200


@pytest.mark.jit
def test_an_unequal_log_is_made_equal_by_rejection_and_the_rows_are_counted():
    rng, shown = np.random.default_rng(4), np.array([0.5, 0.3, 0.2])
    arm = rng.choice(3, 4_000, p=shown).astype(np.int32)
    reward = (rng.random(4_000) < np.array(MEANS)[arm]).astype(float)
    log = Log(("a", "b", "c"), arm, reward, shown[arm])
    played = replay(log, make("random"))
    assert played.kept == pytest.approx(4_000 * 0.6, rel=0.05)
    assert played.reward.mean() == pytest.approx(np.mean(MEANS), abs=0.05)
    counts = np.bincount(played.arm) / played.arm.size
    assert counts == pytest.approx([1 / 3] * 3, abs=0.06)


@pytest.mark.jit
def test_few_rows_give_no_number_and_a_log_without_propensities_is_refused():
    log = uniform_log(240, 1)
    learned = learn(log, make("ucb"))
    assert np.isnan([learned.value, learned.low, learned.high]).all()
    assert f"{learned.matched} of 240 rows" in learned.refused
    with pytest.raises(ValueError, match="with propensities"):
        replay(Log(log.names, log.arm, log.reward), make("ucb"))
    nine = Log(log.names, log.arm, log.reward * 9.0, log.propensity)
    refused(lambda: replay(nine, make("exp3")), "rewards of the log", "[0, 1] for exp3", "got 0 to 9")


@pytest.mark.jit
def test_a_log_that_is_too_short_is_told_what_rejection_leaves_and_what_log_would_do():
    shown = np.array([0.9, 0.1])
    arm = np.repeat(np.array([0, 1], np.int32), [1_800, 200])
    log = Log(("a", "b"), arm, np.arange(2_000) % 2.0, shown[arm])
    numbers = [int(text.replace(",", "")) for text in re.findall(r"\d[\d,]*", learn(log, make("ucb")).refused)]
    played, left, rows, again, required, longer = numbers
    assert (again, rows, required) == (played, 2_000, 1_000)
    assert 150 < played < 200 < left < 450
    assert longer == pytest.approx(1.1 * 2_000 * 1_000 / played, rel=0.05)


@pytest.mark.jit
def test_learners_are_evaluated_by_replay_beside_policies_that_do_not_learn():
    log = uniform_log(3_600, 2)  # so that 1,080 rows are taken of those that count
    values = evaluate(log, ["uniform"], learners={"UCB": "ucb", "half": make("ucb", c=0.5)}, seed=4).values
    learned = learn(log, make("ucb", c=0.5), 4)
    beside = f"the log's policy, first {learned.matched:,} rows"
    assert [(value.policy, value.estimator) for value in values] == [
        ("uniform", "dr"),
        ("UCB", "replay"),
        ("half", "replay"),
        (beside, "mean of rows"),
    ]
    assert (values[2].value, values[2].low, values[2].high) == (learned.value, learned.low, learned.high)
    assert values[2].rest.effective == values[3].rest.effective == learned.matched == 1_080
    assert values[3].value == log.reward[: learned.matched].mean()


@pytest.mark.jit
def test_what_a_policy_has_learned_is_the_mean_over_replays_in_their_own_orders():
    log, seed = uniform_log(3_600, 5), 7
    learned = learn(log, make("epsilon_greedy"), seed)
    means = []
    for number in range(REPLAYS):
        order = np.random.default_rng([seed, Purpose.LOG_REPLAY, number]).permutation(3_600)
        shuffled = Log(log.names, log.arm[order], log.reward[order], log.propensity[order])
        streams = Replications.room(np.array([1_200]), number, 1, 3).streams(seed)
        means.append(_play(shuffled, make("epsilon_greedy"), np.arange(3_600), seed, number).reward)
        assert (
            streams.rule.tolist() != Replications.room(np.array([1_200]), number + 1, 1, 3).streams(seed).rule.tolist()
        )
    assert min(rewards.size for rewards in means) > learned.matched == 1_080  # 0.9 of 3,600 rows over 3 arms
    rewards = np.array([each[: learned.matched] for each in means])
    assert learned.value == rewards.mean()
    between, within = rewards.mean(axis=1).var(ddof=1) / REPLAYS, rewards.var(axis=1, ddof=1).mean() / learned.matched
    half = 1.96 * np.sqrt(between + within)
    assert (learned.low, learned.high) == pytest.approx((learned.value - half, learned.value + half), abs=0.1 * half)
    again = learn(log, make("epsilon_greedy"), seed)
    assert (again.value, again.low, again.high) == (learned.value, learned.low, learned.high)
    assert learn(log, make("epsilon_greedy"), seed + 1).value != learned.value


# ---------------------------------------------------------------- policies that see features

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


@pytest.mark.parametrize("constant", [0.0, 1e-9, 1.0, -5.0])
def test_a_constant_feature_is_the_intercept_unless_it_is_nought_or_tiny(constant):
    log = log_of(40, 1)
    assert log.features is not None
    features = np.column_stack([log.features[:, 1:], np.full(40, constant)])
    seen = _features_seen(Log(log.names, log.arm, log.reward, log.propensity, features=features))
    if abs(constant) < 0.1:
        assert seen.tolist() == np.column_stack([np.ones(40), features]).tolist()
    else:
        assert seen.tolist() == features.tolist()


def test_a_log_without_features_is_refused_by_policies_that_need_them():
    log = log_of(300, 1)
    refused(lambda: replay(Log(log.names, log.arm, log.reward, log.propensity), make("linucb")), "log", "linucb")
