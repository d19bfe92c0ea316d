"""Which policies can lock: their defaults as their classes say, other parameters as they play; and their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bandits import UCB, Bernoulli, Policy, simulate
from bandits.bounds import can_lock, pulls_lost, regret_bound
from numerics.statistics import mean_interval
from tests.bandits.policies import EXAMPLES, FEATURED, LIMITED
from tests.internals import POLICIES

FAR, NEARER, HORIZON = (0.1, 0.9), (0.3, 0.6), 500
# What 400 experiments of 20 and 50 replications covered with Student's interval, in %.
FOUND = [
    ("eb_tci beta=1", FAR),  # 28, 58
    ("boltzmann_gumbel c=0.01", FAR),  # 31, 60
    ("thompson alpha=0.001", FAR),  # 80, 97
    ("bayes_ucb alpha=0.1 beta=0.1", NEARER),  # 92, 90
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("text", "means"), FOUND, ids=str)
def test_policies_that_lock_through_their_parameters_have_the_wide_interval_and_it_covers(text, means):
    policy, arms, rng = POLICIES.of(text), Bernoulli(means), np.random.default_rng(2)
    assert can_lock(policy)
    law = simulate(policy, arms, HORIZON, 2_000, seed=3, checkpoints=[HORIZON]).pseudo_regret
    bound = regret_bound(policy, arms, HORIZON, law)
    assert bound == HORIZON * arms.largest_gap
    for size in (20, 50):
        held = 0
        for _ in range(200):
            low, high = mean_interval(rng.choice(law, size), 0.0, bound)
            held += low <= law.mean() <= high
        assert held >= 180  # 0.95 of 200, less four standard errors


@pytest.mark.parametrize("policy", [policy for policy in EXAMPLES if policy.name != "custom"], ids=str)
def test_defaults_that_are_said_not_to_lock_do_not_in_play(policy):
    if policy.locks is False:
        assert pulls_lost(policy) < 0.05


def test_importance_sampling_finds_the_share_of_replications_that_give_up_the_best_arm():
    """UCB1 with c = 0.2 gives up the best arm in about 4 % of replications: 8,000 played as they are say so too."""
    played = simulate(UCB(0.2), [0.6, 0.3], 500, 8_000, seed=1, checkpoints=[250, 500]).replications
    late = (played.pseudo_regret[:, 1] - played.pseudo_regret[:, 0]) / 0.3  # pulls of the worse arm from 251 on
    plain = 500.0 * float((late > 0.9 * 250).mean())
    assert pulls_lost(UCB(0.2)) == pytest.approx(plain, rel=0.28)  # five standard errors


def test_what_is_not_played_is_what_the_class_says():
    for policy in [*FEATURED, *LIMITED]:
        assert can_lock(policy) is policy.locks
    rule = Policy.make("custom", rule="bandits.policies.ucb.ucb", c=0.0)
    assert can_lock(rule) is rule.locks is None
    assert math.isnan(regret_bound(UCB(), Bernoulli(FAR), HORIZON, np.array([1.0, 2.0])))


def test_two_replications_are_enough_for_a_bound_and_one_is_not():
    greedy, arms = Policy.make("greedy"), Bernoulli([0.2, 0.8])
    assert regret_bound(greedy, arms, 10, np.array([1.0, 2.0])) == pytest.approx(6.0)
    assert math.isnan(regret_bound(greedy, arms, 10, np.array([1.0])))
