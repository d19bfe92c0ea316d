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
WIDEST = 5.0  # standard errors


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


@pytest.mark.sampled(6)
@pytest.mark.jit
@pytest.mark.parametrize("policy", [policy for policy in EVERY if policy.name not in FORGETFUL], ids=str)
def test_simulated_errors_of_every_policy_are_the_same_in_both_orders(policy):
    """Ties that fell to the first arm would make some of the two orders err far more often."""
    horizon, runs = 3 * max(4, policy.spec().estimates.explore + 1), 10_000
    one, other = (errors(policy, means, horizon, runs, seed) for seed, means in enumerate((MEANS, MEANS[::-1])))
    both = 0.5 * (one + other)
    assert abs(one - other) < WIDEST * math.sqrt(2.0 * both * (1.0 - both) / runs)


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
