"""How good the recommended arm is: the exact numbers against closed forms, every path, and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from bandits import (
    EBTCI,
    KLUCB,
    UCB,
    Bernoulli,
    EpsilonGreedy,
    Greedy,
    Optimistic,
    Policy,
    RandomBernoulli,
    RoundRobin,
    SequentialHalving,
    SuccessiveRejects,
    Thompson,
    identify_best,
)
from tests.internals import Layer, layers, recommend, recommendation_at_means, recommendation_over_prior

pytestmark = pytest.mark.kernels

POLICIES: list[Policy] = [
    RoundRobin(),
    SequentialHalving(),
    SuccessiveRejects(),
    UCB(),
    KLUCB(),
    Thompson(),
    EpsilonGreedy(),
    Optimistic(),
    Greedy(explore=0),
]
RUNS, SE = 10_000, 5.0


def last_layer(policy: Policy, arms: int, horizon: int) -> Layer:
    *_, last = layers(policy, arms, horizon)
    return last


@pytest.mark.sampled(2)
@pytest.mark.jit
@pytest.mark.parametrize(
    ("policy", "arms"),
    [
        *((policy, Bernoulli([(0.4, 0.5), (0.5, 0.3, 0.4)][place % 2])) for place, policy in enumerate(POLICIES)),
        (Optimistic(), RandomBernoulli(arms=2)),
        (SequentialHalving(), RandomBernoulli(arms=2)),
    ],
    ids=str,
)
def test_a_run_of_a_fixed_budget_errs_as_often_as_the_exact_number_says(policy, arms):
    layer = last_layer(policy, arms.count, 30)
    if isinstance(arms, RandomBernoulli):
        exact = recommendation_over_prior(layer, policy)
    else:
        exact = recommendation_at_means(layer, policy, arms.means)
    regret = identify_best(policy, arms, "budget", most=30, runs=RUNS, seed=5).simple_regret
    wrong, root = (regret > 0.0).mean(), math.sqrt(RUNS)
    assert 0.02 < exact.wrong < 0.6
    assert abs(wrong - exact.wrong) < SE * math.sqrt(exact.wrong * (1.0 - exact.wrong)) / root
    assert abs(regret.mean() - exact.simple_regret) < SE * regret.std() / root


@pytest.mark.parametrize("means", [(0.3, 0.5), (0.5, 0.3)])
def test_uniform_play_errs_where_the_worse_arm_has_more_successes_and_half_of_the_time_where_it_has_as_many(means):
    layer, won = last_layer(RoundRobin(), 2, 40), np.arange(21)
    worse, better = (stats.binom.pmf(won, 20, mean) for mean in (0.3, 0.5))
    wrong = float(worse @ stats.binom.cdf(won - 1, 20, 0.5) + 0.5 * worse @ better)
    exact = recommendation_at_means(layer, RoundRobin(), means)
    assert exact.wrong == pytest.approx(wrong, abs=1e-12)
    assert exact.simple_regret == pytest.approx(0.2 * exact.wrong, abs=1e-12)


@pytest.mark.parametrize("policy", [RoundRobin(), Greedy(explore=0), Optimistic(), SequentialHalving()], ids=str)
def test_every_state_recommends_as_a_run_does(policy):
    """The sum over all states, each asked by itself; priors and arms without pulls included."""
    means, estimates = np.array([0.2, 0.6, 0.5]), policy.spec().estimates
    weight, initial = estimates.prior_pulls, estimates.initial
    wrong, regret, named = 0.0, 0.0, np.zeros(1, np.int64)
    layer = last_layer(policy, 3, 5)
    for pulls, weights in layer.items():
        counts = np.array(pulls, dtype=np.float64)
        for sums, state in np.ndenumerate(weights):
            known = [
                (weight * initial + s) / (weight + n) if weight + n else initial
                for s, n in zip(sums, pulls, strict=True)
            ]
            chance = state * np.prod((2.0 * means) ** sums * (2.0 * (1.0 - means)) ** (counts - sums))
            for sixth in range(6):  # of two or three equal arms each gets as many
                recommend(counts, np.array(known), policy.by_pulls, np.array([(sixth + 0.5) / 6.0]), named)
                arm = named[0]
                wrong, regret = wrong + chance / 6.0 * (arm != 1), regret + chance / 6.0 * (0.6 - means[arm])
    exact = recommendation_at_means(layer, policy, means.tolist())
    assert (exact.wrong, exact.simple_regret) == pytest.approx((wrong, regret), abs=1e-12)


def test_equal_arms_are_never_wrong_and_over_a_prior_the_mean_over_means_is_met():
    layer = last_layer(UCB(), 2, 12)
    assert recommendation_at_means(layer, UCB(), (0.4, 0.4)).wrong == 0.0
    points, weights = np.polynomial.legendre.leggauss(10)  # exact up to degree 19, of 12 rewards and means
    x, shares = 0.5 + 0.5 * points, 0.5 * weights
    regret = 0.0
    for i, first in enumerate(x):
        for share, second in zip(shares, x, strict=True):  # second = first * y and the other way round: no kink inside
            for means in ((first, first * second), (first * second, first)):
                exact = recommendation_at_means(layer, UCB(), means)
                regret += shares[i] * share * first * exact.simple_regret
    assert recommendation_over_prior(layer, UCB()).simple_regret == pytest.approx(regret, abs=1e-10)


def test_choices_that_no_counts_decide_are_refused():
    with pytest.raises(ValueError, match=r"policy eb_tci has no choice probabilities as a function of counts"):
        next(layers(EBTCI(), 2, 10))
