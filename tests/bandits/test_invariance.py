"""The same seed gives the same numbers: in any block, shard or worker, to any horizon, alone or beside others."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy import stats

from bandits import (
    UCB,
    Arms,
    Bernoulli,
    Gaussian,
    Policy,
    Random,
    RandomBernoulli,
    RandomGaussian,
    Replications,
    simulate,
)
from bandits.simulation import default_checkpoints, replicate, replicate_steps, shard_size
from tests.bandits.policies import ALL, EXAMPLES, FEATURED, LIMITED, SEEN

ARMS = RandomBernoulli(arms=5)
HORIZON, RUNS, SEED = 70, 7, 17


def _same(one: Replications, other: Replications) -> bool:
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name))
        for field in dataclasses.fields(Replications)
    )


@pytest.mark.parametrize("policy", [*ALL, *LIMITED, *FEATURED], ids=str)
def test_blocks_workers_shards_and_company_change_no_bit(policy: Policy):
    arms = SEEN if policy.needs_features else ARMS if policy.limits is None else RandomBernoulli(policy.limits.arms)
    whole = simulate(policy, arms, HORIZON, RUNS, SEED).replications
    for block in (None, 1, 3):
        assert _same(simulate(policy, arms, HORIZON, RUNS, SEED, block=block).replications, whole)
    for workers in (3, 16):
        assert _same(simulate(policy, arms, HORIZON, RUNS, SEED, workers=workers).replications, whole)
    times = default_checkpoints(HORIZON)
    for first, count in ((3, 4), (1, 2)):
        assert _same(replicate(policy, arms, HORIZON, times, SEED, first, count), whole.part(first, count))
    alone, steps = replicate_steps(policy, arms, HORIZON, SEED, 5)
    assert np.array_equal(alone.pulls[0], whole.pulls[5])
    assert np.array_equal(alone.reward_sum[:, times - 1][0], whole.reward_sum[5])
    assert np.array_equal(np.bincount(steps.arm, minlength=arms.count), whole.pulls[5])
    assert not _same(simulate(policy, arms, HORIZON, RUNS, SEED + 1).replications, whole)


@pytest.mark.parametrize("policy", [one for one in ALL if "horizon" not in one.spec().rule.needs], ids=str)
def test_the_first_steps_do_not_depend_on_the_horizon(policy: Policy):
    arms = ARMS if policy.unit_rewards else RandomGaussian(arms=5)
    explored = policy.spec().estimates.explore * 5
    short, times = explored + 20, [1, explored + 7, explored + 20]
    brief = simulate(policy, arms, short, 4, SEED, checkpoints=times).replications
    long = simulate(policy, arms, short + 65, 4, SEED, checkpoints=times).replications
    for name in ("pseudo_regret", "reward_sum", "best_reward_sum", "reward", "optimal"):
        np.testing.assert_array_equal(getattr(brief, name), getattr(long, name)[:, : len(np.unique(times))])


@pytest.mark.parametrize("policy", [one for one in EXAMPLES if "horizon" in one.spec().rule.needs], ids=str)
def test_a_rule_that_needs_the_horizon_looks_at_it(policy: Policy):
    arms, every = Bernoulli([0.1, 0.5, 0.9]), range(1, 201)
    brief = simulate(policy, arms, 200, 6, SEED, checkpoints=every).replications
    long = simulate(policy, arms, 2_000, 6, SEED, checkpoints=every).replications
    assert (brief.pseudo_regret[:, :200] != long.pseudo_regret[:, :200]).any()


def test_the_choice_of_checkpoints_changes_no_number():
    some = simulate(UCB(), ARMS, HORIZON, RUNS, SEED, checkpoints=[30, 5, 5, 1]).replications
    every = simulate(UCB(), ARMS, HORIZON, RUNS, SEED, checkpoints=range(1, HORIZON + 1)).replications
    assert some.checkpoints.tolist() == [1, 5, 30, HORIZON]
    for name in ("pseudo_regret", "reward_sum", "best_reward_sum", "reward", "optimal"):
        np.testing.assert_array_equal(getattr(some, name), getattr(every, name)[:, some.checkpoints - 1])
    np.testing.assert_array_equal(some.pulls, every.pulls)


@pytest.mark.parametrize("horizon", [1, 2, 3, 10, 999, 10_000, 1_000_003])
def test_default_checkpoints_rise_from_1_to_the_horizon(horizon: int):
    times = default_checkpoints(horizon)
    assert times[0] == 1
    assert times[-1] == horizon
    assert (np.diff(times) > 0).all()
    assert len(times) <= 221
    assert len(times) >= min(horizon, 150)


def test_shards_are_bounded_in_steps_and_shared_among_workers():
    assert shard_size(10_000, 1_000_000) * 10_000 <= 20_000_000
    assert shard_size(10**6, 1_000) == 64  # a full block, though that is more steps
    assert shard_size(10**10, 5) == 1
    assert shard_size(100, 10, workers=4) == 3
    assert shard_size(100, 10) == 10


@pytest.mark.parametrize("arms", [Bernoulli([0.45] * 4), Gaussian([0.45] * 4, scale=2.0)], ids=lambda arms: arms.name)
def test_on_equal_arms_all_policies_are_paid_the_same_at_every_step(arms: Arms):
    able = [policy for policy in EXAMPLES if arms.unit_rewards or not policy.unit_rewards]
    every = range(1, 61)
    played = [simulate(policy, arms, 60, 5, SEED, checkpoints=every).replications for policy in able]
    assert len({run.pulls.tobytes() for run in played}) > 3, "they do play differently"
    for run in played[1:]:
        np.testing.assert_array_equal(run.reward, played[0].reward)
        # the same rewards added in another order
        np.testing.assert_allclose(run.reward_sum, played[0].reward_sum, rtol=1e-12)


def test_on_unequal_arms_the_noise_of_a_step_and_the_best_arms_rewards_are_shared():
    arms = Gaussian([0.0, 1.0, -2.0], scale=1.5)
    means = np.array(arms.fixed_means)
    able = [policy for policy in EXAMPLES if not policy.unit_rewards]
    noises, best = [], []
    for policy in able:
        _, steps = replicate_steps(policy, arms, 50, SEED, run=3)
        noises.append(steps.reward - means[steps.arm])
        best.append(steps.best_reward)
    for noise, other in zip(noises, best, strict=True):
        np.testing.assert_allclose(noise, noises[0], atol=1e-12)
        np.testing.assert_array_equal(other, best[0])
    assert abs(np.corrcoef(noises[0], best[0])[0, 1]) < 0.6, "the best arm's rewards are drawn apart"


def test_the_best_arms_rewards_are_independent_of_those_of_the_pulled_arm():
    arms, count = Bernoulli([0.5, 0.5]), 40_000
    played = simulate(Random(), arms, 1, count, seed=3, checkpoints=[1]).replications
    assert abs(np.corrcoef(played.reward[:, 0], played.best_reward_sum[:, 0])[0, 1]) < 4.5 / np.sqrt(count)
    assert abs(np.corrcoef(played.reward[:, 0], played.pulls[:, 0])[0, 1]) < 4.5 / np.sqrt(count)
    assert abs(np.corrcoef(played.best_reward_sum[:, 0], played.pulls[:, 0])[0, 1]) < 4.5 / np.sqrt(count)


@pytest.mark.parametrize(
    ("arms", "law"),
    [
        (RandomBernoulli(arms=9), stats.uniform()),
        (RandomBernoulli(arms=9, a=2.0, b=5.0), stats.beta(2.0, 5.0)),
        (RandomGaussian(arms=9, center=3.0, spread=0.5), stats.norm(3.0, 0.5)),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_random_means_follow_their_law_and_belong_to_their_replication(arms: Arms, law):
    means = arms.draw_means(5, 0, 4_000)
    assert means.shape == (4_000, 9)
    for column in means.T:
        assert stats.kstest(column, law.cdf).pvalue > 1e-4
    correlation = np.corrcoef(means.T) - np.eye(9)
    assert np.abs(correlation).max() < 4.5 / np.sqrt(4_000)
    np.testing.assert_array_equal(arms.draw_means(5, 1_000, 10), means[1_000:1_010])
    assert (arms.draw_means(6, 0, 10) != means[:10]).all()


def test_the_means_of_a_replication_stay_as_arms_are_added():
    few, many = RandomBernoulli(arms=3).draw_means(1, 0, 5), RandomBernoulli(arms=11).draw_means(1, 0, 5)
    np.testing.assert_array_equal(few, many[:, :3])
