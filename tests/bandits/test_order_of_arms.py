"""Recommendations do not depend on the order in which the arms are named: exactly, and in simulations."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

from bandits import Policy, identify_best, simulate
from tests.bandits.policies import EXAMPLES, LIMITED, PLANNED
from tests.internals import check, layers, recommendation_at_means

MEANS = (0.5, 0.4, 0.3)
EVERY = [*EXAMPLES, *PLANNED]
FORGETFUL = ("discounted_ucb", "sliding_window_ucb")  # their pulls depend on the order: the first is forgotten first
WIDEST = 4.0  # standard errors


def counted(policy: Policy, arms: int) -> bool:
    """Return whether exact expectations of a policy exist."""
    try:
        check(policy, arms, 12)
    except ValueError:
        return False
    return True


EXACT = [(policy, arms) for policy in [*EVERY, *LIMITED] for arms in (2, 3) if counted(policy, arms)]


@pytest.mark.jit
@pytest.mark.parametrize(("policy", "arms"), EXACT, ids=str)
def test_exact_errors_are_the_same_in_every_order(policy, arms):
    """After as many pulls of every arm, if they are pulled in turn."""
    *_, last = layers(policy, arms, 12)
    found = [recommendation_at_means(last, policy, means) for means in permutations(MEANS[:arms])]
    assert 0.0 < found[0].wrong < 1.0
    for other in found[1:]:
        assert other.wrong == pytest.approx(found[0].wrong, abs=1e-12)
        assert other.simple_regret == pytest.approx(found[0].simple_regret, abs=1e-12)


def errors(policy: Policy, means, horizon: int, runs: int, seed: int) -> float:
    result = simulate(policy, means, horizon, runs, seed, checkpoints=[horizon])
    return float((result.simple_regret[:, -1] > 0.0).mean())


def apart(one: float, other: float, runs: int) -> float:
    """Return how many standard errors two shares of independent runs differ by."""
    both = 0.5 * (one + other)
    return abs(one - other) / math.sqrt(2.0 * both * (1.0 - both) / runs)


@pytest.mark.long
@pytest.mark.jit
@pytest.mark.parametrize("policy", [policy for policy in EVERY if policy.name not in FORGETFUL], ids=str)
def test_simulated_errors_of_every_policy_are_the_same_in_all_orders(policy):
    horizon = 3 * max(4, policy.spec().estimates.explore + 1)
    found = [errors(policy, means, horizon, 100_000, seed) for seed, means in enumerate(permutations(MEANS))]
    assert max(apart(found[0], other, 100_000) for other in found[1:]) < WIDEST


@pytest.mark.kernels
def test_ties_fall_alike_in_any_block_for_any_workers_and_with_other_checkpoints():
    """After 15 pulls of three arms in turn every third replication has a tie."""
    whole = simulate("round_robin", MEANS, 15, 70, 3, checkpoints=[6, 9, 15]).simple_regret
    for given in ({"block": 1}, {"block": 11}, {"workers": 2}):
        other = simulate("round_robin", MEANS, 15, 70, 3, checkpoints=[6, 9, 15], **given)
        np.testing.assert_array_equal(other.simple_regret, whole)
    np.testing.assert_array_equal(
        simulate("round_robin", MEANS, 15, 9, 3, checkpoints=[15]).simple_regret, whole[:9, 2:]
    )
    ended = identify_best("round_robin", MEANS, "budget", most=15, runs=70, seed=3, workers=3)
    np.testing.assert_array_equal(ended.simple_regret, whole[:, 2])


def published(plan: str, means, budget: int, runs: int) -> float:
    """Return how often a plan as its paper words it is wrong; the worst arms leave, of equal ones any."""
    rng, arms = np.random.default_rng(0), len(means)
    if plan == "successive_rejects":
        total = 0.5 + sum(1.0 / k for k in range(2, arms + 1))
        phases = [(math.ceil((budget - arms) / (total * left)), left - 1) for left in range(arms, 1, -1)]
    else:
        rounds, left, had, phases = math.ceil(math.log2(arms)), arms, 0, []
        for _ in range(rounds):
            had, left = had + budget // (left * rounds), -(-left // 2)
            phases.append((had, left))
    sums, left_in, had = np.zeros((runs, arms)), np.ones((runs, arms), bool), 0
    for upto, left in phases:
        sums += rng.binomial(upto - had, means, (runs, arms))
        ranks = np.where(left_in, sums + rng.random((runs, arms)), -1.0)  # whole sums: the fractions decide ties only
        left_in, had = ranks >= -np.sort(-ranks, axis=1)[:, left - 1 : left], upto
    return float((left_in.argmax(axis=1) != int(np.argmax(means))).mean())


@pytest.mark.jit
@pytest.mark.parametrize("plan", ["successive_rejects", "sequential_halving"])
def test_plans_err_as_often_as_their_papers_algorithms(plan):
    means, runs = (0.5, 0.4, 0.35, 0.3, 0.55), 20_000
    assert published(plan, means, 203, 100_000) == pytest.approx(0.327, abs=0.005)
    found = identify_best(plan, means, "budget", most=203, runs=runs, seed=3).simple_regret
    assert apart(float((found > 0.0).mean()), published(plan, means, 203, runs), runs) < WIDEST
