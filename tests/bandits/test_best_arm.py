"""Best-arm identification: sampling rules, plans, and the kernel that ends by itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bandits import Gaussian, Policy, characteristic_time, identify_best, simulate
from tests import naive
from tests.bandits.policies import EXAMPLES, PLANNED
from tests.internals import lower_bound, upper_bound

pytestmark = pytest.mark.kernels

MEANS = (0.5, 0.45, 0.43, 0.4)


# ---------------------------------------------------------------- the kernel


@pytest.mark.sampled(8)
@pytest.mark.parametrize("policy", [*EXAMPLES, *PLANNED], ids=str)
def test_under_a_budget_every_policy_pulls_as_in_a_simulation(policy: Policy):
    most = 4 * policy.spec().estimates.explore + 10
    ended = identify_best(policy, MEANS, "budget", most=most, runs=3, seed=5)
    played = simulate(policy, MEANS, most, 3, seed=5).replications
    np.testing.assert_array_equal(ended.pulls, played.pulls)
    assert not ended.sure.any()


def test_the_recommendation_is_the_highest_mean_or_of_a_plan_the_most_pulled():
    for name in ("ucb", "sequential_halving"):
        ended = identify_best(name, MEANS, "budget", most=60, runs=50, seed=1)
        most = ended.pulls.max(axis=1)
        picked = ended.pulls[np.arange(50), ended.arm]
        assert (picked == most).all() == (name == "sequential_halving")


@pytest.mark.jit
def test_replications_are_the_same_in_any_number_and_for_any_workers():
    whole = identify_best("eb_tci", MEANS, "chernoff_heuristic delta=0.2", most=6_000, runs=12, seed=8)
    some = identify_best("eb_tci", MEANS, "chernoff_heuristic delta=0.2", most=6_000, runs=7, seed=8, workers=3)
    np.testing.assert_array_equal(whole.pulls[:7], some.pulls)
    np.testing.assert_array_equal(whole.arm[:7], some.arm)
    longer = identify_best("eb_tci", MEANS, "chernoff_heuristic delta=0.2", most=12_000, runs=12, seed=8)
    np.testing.assert_array_equal(whole.pulls[whole.sure == 1], longer.pulls[whole.sure == 1])
    assert 0 < whole.sure.sum() < 12


def test_two_equal_best_arms_meet_the_cap_and_say_so_and_an_epsilon_ends_them():
    capped = identify_best("kl_lucb", [0.5, 0.5, 0.1], "chernoff delta=0.1", most=300, runs=3)
    assert not capped.sure.any()
    assert (capped.times == 300).all()
    ended = identify_best("kl_lucb", [0.5, 0.5, 0.1], "chernoff delta=0.1 epsilon=0.4", most=3_000, runs=3)
    assert ended.sure.all()
    assert (ended.simple_regret == 0.0).all()


@pytest.mark.sampled(1)
@pytest.mark.jit
@pytest.mark.parametrize(
    "name",
    [
        "round_robin",
        "successive_elimination",
        "lucb",
        "kl_lucb",
        "ugape",
        "eb_tci",
        "top_two_thompson",
        "track_and_stop",
    ],
)
def test_the_mean_number_of_pulls_exceeds_the_bound_and_is_within_ten_times_of_it(name):
    means = (0.7, 0.4, 0.3)
    ended = identify_best(name, means, "chernoff_heuristic delta=0.05", most=50_000, runs=100, seed=3)
    bound = characteristic_time(means).pulls(0.05)
    assert bound < ended.times.mean() < 10.0 * bound
    assert ended.sure.all()
    assert (ended.arm == 0).mean() > 0.95 - 5.0 * math.sqrt(0.05 * 0.95 / 100)


# ---------------------------------------------------------------- sampling rules and plans


def asked(name: str, pulls, means, t: int, **parameters):
    """The arms that a choice rule takes at 400 calls, each with a fresh memory."""
    policy = Policy.make(name, **parameters)
    rng, arms = np.random.default_rng(0).integers(1, 2**63, (1, 4), dtype=np.uint64), []
    for _ in range(400):
        arm = np.zeros(1, np.int64)
        policy.spec().rule(
            pulls, means, 1.0 / np.sqrt(pulls), means, means, float(t), math.nan, policy.spec().numbers(t, pulls.size),
            rng, np.zeros((2, 1)), arm,
        )  # fmt: skip
        arms.append(int(arm[0]))
    return np.bincount(arms, minlength=pulls.size) / 400.0


def test_bounds_lie_where_the_divergence_reaches_the_level():
    for mean, level in [(0.3, 0.05), (0.9, 0.4), (0.5, 1e-4)]:
        for bound in (lower_bound(mean, level), upper_bound(mean, level)):
            assert naive.bernoulli_kl(mean, bound) == pytest.approx(level, rel=1e-6)
        assert lower_bound(mean, level) < mean < upper_bound(mean, level)


@pytest.mark.jit
def test_top_two_sampling_takes_the_arm_of_least_evidence_when_its_draws_are_over():
    pulls, means = np.array([1_000.0, 50.0, 2.0]), np.array([0.7, 0.55, 0.0])  # the third is better twice as often
    assert asked("top_two_thompson", pulls, means, 1_053, draws=1)[1] > 0.35  # and has more evidence against it
    assert asked("top_two_thompson", pulls, means, 1_053, draws=300)[2] > 0.25


def test_top_two_thompson_takes_the_best_mean_half_the_time_and_else_the_arm_of_least_evidence():
    pulls, means = np.array([100.0, 90.0, 80.0]), np.array([0.7, 0.4, 0.2])
    shares = asked("top_two_thompson", pulls, means, 271, draws=3)
    assert shares[0] == pytest.approx(0.5, abs=0.1)  # four standard errors
    assert shares[1] > 0.35


def as_worded(plan: str, means, horizon: int, rewards) -> list[int]:
    """Play a plan as its paper words it: rounds of equal pulls, after each of which the worst arms leave."""
    arms = len(means)
    counts, sums, left = [0] * arms, [0.0] * arms, list(range(arms))

    def pull(arm):
        if sum(counts) < horizon:
            sums[arm] += rewards(arm, counts[arm])
            counts[arm] += 1

    def keep(number):
        return sorted(sorted(left, key=lambda arm: -sums[arm] / max(counts[arm], 1))[:number])

    if plan == "sequential_halving":
        rounds = math.ceil(math.log2(arms))
        for _ in range(rounds):
            for _ in range(max(1, horizon // (rounds * len(left)))):
                for arm in left:
                    pull(arm)
            left = keep(-(-len(left) // 2)) if len(left) > 2 else left
    else:
        total = 0.5 + sum(1.0 / k for k in range(2, arms + 1))
        had = 0
        for phase in range(1, arms):
            upto = math.ceil((horizon - arms) / (total * (arms + 1 - phase)))
            for _ in range(had, upto):
                for arm in left:
                    pull(arm)
            left, had = keep(len(left) - 1) if len(left) > 2 else left, upto
    while sum(counts) < horizon:
        for arm in left:
            pull(arm)
    return sorted(counts)


@pytest.mark.parametrize("name", ["sequential_halving", "successive_rejects"])
@pytest.mark.parametrize("arms", [2, 3, 5, 8])
def test_plans_pull_as_their_papers_say(name, arms):
    """Of arms whose rewards never tie, with counts in order: which of the equal arms comes first does not matter."""
    means = np.linspace(0.2, 0.9, arms)
    ended = identify_best(name, Gaussian(means.tolist(), scale=0.01), "budget", most=100, runs=3, seed=2)
    for counts in ended.pulls:
        assert sorted(counts.tolist()) == as_worded(name, means, 100, lambda arm, n: means[arm])
    assert (ended.arm == arms - 1).all()
