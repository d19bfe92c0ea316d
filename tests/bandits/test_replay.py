"""Replay of a policy that learns on a log: which rows count, and what they show."""

from __future__ import annotations

import numpy as np
import pytest

from bandits import Bernoulli, Log, evaluate, make, simulate
from bandits.logs.replay import replay

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


@pytest.mark.parametrize("rows", range(8, 40, 3))
def test_rows_of_a_short_log_pay_what_it_says(rows):
    rng = np.random.default_rng(rows)
    arm = np.concatenate([np.arange(8), rng.integers(8, size=rows - 8)]).astype(np.int32)
    log = Log(tuple("abcdefgh"), arm, np.arange(1.0, rows + 1.0), np.full(rows, 1.0 / 8.0))
    for seed in range(8):  # every arm is the first to be pulled now and then
        played, row = replay(log, make("greedy", explore=0), seed), 0
        for a, reward in zip(played.arm, played.reward, strict=True):
            row += int((arm[row:] == a).argmax())
            assert (arm[row], reward) == (a, row + 1.0)
            row += 1
        assert played.arm.size > 0


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
    mean, low, high = played.mean()
    assert low < mean < high
    assert low <= np.mean(MEANS) <= high
    counts = np.bincount(played.arm) / played.arm.size
    assert counts == pytest.approx([1 / 3] * 3, abs=0.06)


@pytest.mark.jit
def test_every_row_of_a_wide_log_counts():
    rewards = np.random.default_rng(5).normal(size=(200, 3))
    log = Log(("a", "b", "c"), np.empty(0, np.int32), np.empty(0), rewards=rewards)
    played = replay(log, make("ucb"))
    assert played.reward.tolist() == rewards[np.arange(200), played.arm].tolist()


@pytest.mark.jit
def test_few_rows_give_no_number_and_a_log_without_propensities_is_refused():
    log = uniform_log(240, 1)
    played = replay(log, make("ucb"))
    assert "rows of 240 have the arm that the policy chose, and it takes 100" in played.refusal()
    assert np.isnan(played.mean()).all()
    with pytest.raises(ValueError, match="a policy that learns needs a log with propensities"):
        replay(Log(log.names, log.arm, log.reward), make("ucb"))
    with pytest.raises(ValueError, match=r"arms must pay rewards in \[0, 1\] for exp3"):
        replay(Log(log.names, log.arm, log.reward * 9.0, log.propensity), make("exp3"))


@pytest.mark.jit
def test_learners_are_evaluated_by_replay_beside_policies_that_do_not_learn():
    log = uniform_log(3_000, 2)
    values = evaluate(log, ["uniform"], learners={"UCB": "ucb", "half": make("ucb", c=0.5)}, seed=4).values
    assert [(value.policy, value.estimator) for value in values] == [
        ("uniform", "dr"),
        ("UCB", "replay"),
        ("half", "replay"),
    ]
    played = replay(log, make("ucb", c=0.5), 4)
    assert (values[2].value, values[2].low, values[2].high) == played.mean()
    assert values[2].rest.effective == played.reward.size
    few = evaluate(uniform_log(240, 1), learners="ucb").values[0]
    assert np.isnan(few.value)
    assert "and it takes 100" in few.refused


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"policies": ["ucb"]}, r"policies\[0\] must be one of .*; got 'ucb', which learns: give it in learners$"),
        ({"policies": []}, "policies must hold at least 1 policy, unless there are learners; got none"),
        (
            {"learners": ["uniform"]},
            r"learners\[0\] must be one of .*; got 'uniform', which does not learn: give it in policies$",
        ),
        ({"learners": ["linucb"]}, r"learners\['linucb'\]: .* features"),
        ({"learners": ["ucb"], "seed": -1}, "seed must be"),
    ],
)
def test_mistakes_in_what_is_evaluated_are_sentences(asked, sentence: str):
    with pytest.raises(ValueError, match=sentence):
        evaluate(uniform_log(240, 1), **asked)
