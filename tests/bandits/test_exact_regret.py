"""Mean regret and gain of many replications against exact expectations: every bound is |z| < 4.5 standard errors."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from scipy import stats

from bandits import (
    KLUCB,
    MOSS,
    UCB,
    UCBV,
    Bernoulli,
    EpsilonGreedy,
    ExploreThenCommit,
    Gaussian,
    Greedy,
    Optimistic,
    Random,
    RandomBernoulli,
    RandomGaussian,
    Result,
    Softmax,
    Thompson,
    make,
    simulate,
)
from bandits.policies.base import Policy
from bandits.theory import lai_robbins_constant
from tests.data import read

EXACT, CLOSED = read("bandit_exact_values"), read("exact_regret")
Z = 4.5


def _z(values: np.ndarray, expected: float) -> float:
    """How many standard errors the mean of independent values lies above its expectation."""
    return float((values.mean() - expected) / (values.std(ddof=1) / math.sqrt(len(values))))


TABLE = CLOSED["two_bernoulli_arms"]


@pytest.mark.jit
@pytest.mark.parametrize("reverse", [False, True], ids=["best_first", "best_last"])
@pytest.mark.parametrize("name", list(TABLE["pseudo_regret"]))
def test_regret_on_two_arms_is_the_one_that_dynamic_programming_finds(name: str, reverse: bool):
    means = TABLE["means"][::-1] if reverse else TABLE["means"]
    runs = 40_000 if name == "thompson" else 100_000
    result = simulate(make(name), Bernoulli(means), 100, runs, seed=int(reverse), checkpoints=TABLE["horizons"])
    played = result.replications
    for column, expected in enumerate(TABLE["pseudo_regret"][name]):
        assert abs(_z(played.pseudo_regret[:, column], expected)) < Z
        assert abs(_z(played.realised_regret[:, column], expected)) < Z


@pytest.mark.long
@pytest.mark.jit
@pytest.mark.parametrize("arms", [Bernoulli([0.1, 0.35, 0.9, 0.9]), Gaussian([-1.0, 0.0, 2.5], scale=4.0)], ids=str)
def test_regret_of_uniform_play_has_the_mean_and_the_variance_of_its_closed_form(arms):
    horizon, runs = 500, 40_000
    gaps = max(arms.fixed_means) - np.array(arms.fixed_means)
    regret = simulate(Random(), arms, horizon, runs, seed=5).pseudo_regret
    assert abs(_z(regret, horizon * gaps.mean())) < Z
    variance = horizon * gaps.var()
    squares = (regret - horizon * gaps.mean()) ** 2
    assert abs(_z(squares, variance)) < Z


@pytest.mark.parametrize(
    "arms",
    [
        RandomBernoulli(10),
        RandomBernoulli(5, a=0.05, b=2.0),  # nearly all means are nearly 0
        RandomBernoulli(20, a=30.0, b=0.2),
        RandomGaussian(10),
        RandomGaussian(3, center=5.0, spread=2.0),
    ],
    ids=str,
)
def test_regret_of_a_uniform_pull_is_known_where_the_means_are_random(arms):
    means = arms.draw_means(seed=2, first=0, runs=20_000)
    assert abs(_z(means.max(axis=1) - means.mean(axis=1), arms.uniform_regret())) < Z


@pytest.mark.long
@pytest.mark.jit
@pytest.mark.parametrize("row", CLOSED["explore_then_commit"]["rows"], ids=str)
def test_explore_then_commit_has_the_regret_of_its_closed_form(row: dict):
    gap, each, horizon = row["gap"], row["explore"], 1_000
    exact = each * gap + (horizon - 2 * each) * gap * stats.norm.cdf(-gap * math.sqrt(each / 2))
    assert exact == pytest.approx(row["pseudo_regret"], abs=1e-6)
    for means in ([gap, 0.0], [10.0, 10.0 + gap]):
        result = simulate(ExploreThenCommit(explore=each), Gaussian(means), horizon, 20_000, seed=each)
        assert abs(_z(result.pseudo_regret, exact)) < Z
        assert abs(_z(result.realised_regret, exact)) < Z
        kept = np.sort(result.pulls, axis=1)
        assert (kept == [each, horizon - each]).all(), "it commits to one arm after the same pulls of each"


PRIOR_ARMS = RandomBernoulli(arms=2)
PRIOR_HORIZON, PRIOR_RUNS = 100, 30_000
EVERYONE = [
    Random(),
    Greedy(),
    Greedy(explore=0),
    ExploreThenCommit(explore=3),
    EpsilonGreedy(),
    Optimistic(),
    UCB(),
    UCB(c=0.5),
    UCBV(),
    KLUCB(),
    MOSS(),
    Thompson(),
    Softmax(),
]


def _bayes_optimal() -> dict[int, float]:
    values = {row["T"]: row["float"] for row in EXACT["bayes_optimal_2arm_uniform"]}
    return values | {int(t): value for t, value in CLOSED["bayes_optimal_successes"].items() if t.isdigit()}


@functools.cache
def _averaged_over_the_prior(policy: Policy) -> Result:
    return simulate(
        policy, PRIOR_ARMS, PRIOR_HORIZON, PRIOR_RUNS, seed=8, checkpoints=[t for t in _bayes_optimal() if t > 1]
    )


@pytest.mark.sampled(3)
@pytest.mark.jit
@pytest.mark.parametrize("policy", EVERYONE, ids=str)
def test_no_policy_beats_the_bayes_optimal_one_averaged_over_its_prior(policy: Policy):
    played = _averaged_over_the_prior(policy).replications
    for column, t in enumerate(played.checkpoints):
        best = _bayes_optimal()[int(t)]
        # E max of two uniforms = 2 / 3; the pseudo-regret below it is less noisy than the gain, which is checked too.
        assert _z(2.0 * t / 3.0 - played.pseudo_regret[:, column], best) < Z
        assert _z(played.reward_sum[:, column], best) < Z
        assert abs(_z(played.reward_sum[:, column] + played.pseudo_regret[:, column], 2.0 * t / 3.0)) < Z


@pytest.mark.jit
def test_thompson_comes_within_two_percent_of_the_bayes_optimal_gain_and_uniform_play_does_not():
    best = _bayes_optimal()[PRIOR_HORIZON]
    thompson = 2.0 * PRIOR_HORIZON / 3.0 - _averaged_over_the_prior(Thompson()).pseudo_regret.mean()
    blind = 2.0 * PRIOR_HORIZON / 3.0 - _averaged_over_the_prior(Random()).pseudo_regret.mean()
    assert 0.98 * best < thompson
    assert blind == pytest.approx(PRIOR_HORIZON / 2.0, rel=0.01)


@pytest.mark.long
@pytest.mark.jit
def test_asymptotically_optimal_rules_have_less_regret_than_ucb1_and_ucb1_less_than_its_theorem_allows():
    arms, horizon = Bernoulli([0.9, 0.6]), 50_000
    regret = {
        policy.name: simulate(policy, arms, horizon, 150, seed=2, checkpoints=[5_000]).replications.pseudo_regret
        for policy in (UCB(), KLUCB(), Thompson())
    }
    for name in ("kl_ucb", "thompson"):
        assert _z(regret["ucb"][:, -1] - regret[name][:, -1], 0.0) > Z
    for column, t in enumerate((5_000, horizon)):  # Auer, Cesa-Bianchi and Fischer 2002, theorem 1
        bound = 8.0 * math.log(t) / 0.3 + (1.0 + math.pi**2 / 3.0) * 0.3
        assert regret["ucb"][:, column].mean() < bound
    # Regret that grows as C ln T and no faster than a few times that: the slope, far from T = 1, is of the order of C.
    slope = lai_robbins_constant(arms)
    for name in ("kl_ucb", "thompson"):
        grown = (regret[name][:, 1] - regret[name][:, 0]).mean() / math.log(10.0)
        assert 0.2 * slope < grown < 3.0 * slope
