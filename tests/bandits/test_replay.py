"""Replay of a policy that learns on a log: which rows count, and what they show."""

from __future__ import annotations

import re

import numpy as np
import pytest

from bandits import Bernoulli, Log, evaluate, make, simulate
from bandits.replications import Replications
from numerics.random import Purpose
from tests.internals import REPLAYS, _play, learn, replay

pytestmark = pytest.mark.kernels

MEANS = (0.2, 0.5, 0.7)


def uniform_log(rows: int, seed: int) -> Log:
    rng = np.random.default_rng(seed)
    arm = rng.integers(3, size=rows, dtype=np.int32)
    reward = (rng.random(rows) < np.array(MEANS)[arm]).astype(float)
    return Log(("a", "b", "c"), arm, reward, np.full(rows, 1.0 / 3.0))


@pytest.mark.parametrize("name", ["ucb", "thompson", "epsilon_greedy", "exp3", "greedy"])
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
def test_what_ucb_earns_on_logs_is_what_it_earns_on_the_arms():
    earned = [replay(uniform_log(600, seed), make("ucb")).reward for seed in range(60)]
    whole = np.array([rewards[:150].mean() for rewards in earned if rewards.size >= 150])
    truth = simulate("ucb", Bernoulli(list(MEANS)), 150, 2_000).replications.reward_sum[:, -1] / 150
    assert abs(whole.mean() - truth.mean()) < 4.0 * whole.std() / np.sqrt(whole.size)


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
    counts = f"the policy chose the shown arm in {learned.matched} of 240 rows"
    assert learned.refused.startswith(f"only {learned.matched} rows can be replayed: {counts} (at least 1,000 are")
    with pytest.raises(ValueError, match="a policy that learns needs a log with propensities"):
        replay(Log(log.names, log.arm, log.reward), make("ucb"))
    with pytest.raises(ValueError, match=r"rewards of the log must be in \[0, 1\] for exp3; got 0 to 9$"):
        replay(Log(log.names, log.arm, log.reward * 9.0, log.propensity), make("exp3"))


@pytest.mark.jit
def test_the_message_of_a_short_log_says_what_rejection_leaves_and_what_log_would_do():
    shown = np.array([0.9, 0.1])
    arm = np.repeat(np.array([0, 1], np.int32), [1_800, 200])
    log = Log(("a", "b"), arm, np.arange(2_000) % 2.0, shown[arm])
    refused = learn(log, make("ucb")).refused
    number = r"([\d,]+)"
    found = re.fullmatch(
        f"only {number} rows can be replayed: rejection leaves {number} of 2,000 rows, and the policy chose the shown "
        f"arm in {number} of these "
        rf"\(at least 1,000 are required; a log of about {number} rows would suffice\)",
        refused,
    )
    assert found, refused
    played, left, again, longer = (int(text.replace(",", "")) for text in found.groups())
    assert played == again
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
    few = evaluate(uniform_log(240, 1), learners="ucb").values
    assert len(few) == 1
    assert np.isnan(few[0].value)
    assert "at least 1,000 are required" in few[0].refused


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


@pytest.mark.jit
def test_the_interval_of_greedy_play_includes_that_it_locks_as_chance_has_it():
    truth = simulate("greedy", Bernoulli(list(MEANS)), 1_000, 4_000).replications.reward_sum[:, -1].mean() / 1_000
    missed, spread = {"learn": 0, "replay": 0}, []
    for seed in range(30):
        log = uniform_log(3_500, seed)
        learned, rewards = learn(log, make("greedy"), seed), replay(log, make("greedy"), seed).reward
        missed["learn"] += not learned.low <= truth <= learned.high
        half = 1.96 * rewards.std() / np.sqrt(rewards.size)
        missed["replay"] += not abs(rewards.mean() - truth) <= half
        spread.append((learned.value, rewards.mean()))
    assert missed["learn"] <= 4
    assert missed["replay"] >= 10
    of_learn, of_replay = np.std(spread, axis=0)
    assert of_learn < 0.5 * of_replay


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (
            {"policies": ["ucb"]},
            r"policies\[0\] must be one of .*; got 'ucb', a policy that learns; give it in learners$",
        ),
        ({"policies": []}, "policies must hold at least 1 policy when learners is empty; got none"),
        (
            {"learners": ["uniform"]},
            r"learners\[0\] must be one of .*; got 'uniform', a fixed policy; give it in policies$",
        ),
        ({"learners": ["linucb"]}, r"learners\['linucb'\]: .* features"),
        ({"learners": ["ucb"], "seed": -1}, "seed must be"),
    ],
)
def test_mistakes_in_what_is_evaluated_are_sentences(asked, sentence: str):
    with pytest.raises(ValueError, match=sentence):
        evaluate(uniform_log(240, 1), **asked)
