"""Mean regret and gain of many replications against exact expectations: every bound is |z| < 4.5 standard errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from bandits import (
    UCB,
    Bernoulli,
    ExploreThenCommit,
    Gaussian,
    Random,
    RandomBernoulli,
    RandomGaussian,
    simulate,
)
from tests.data import read

CLOSED = read("exact_regret")
Z = 4.5


def _z(values: np.ndarray, expected: float) -> float:
    """How many standard errors the mean of independent values lies above its expectation."""
    return float((values.mean() - expected) / (values.std(ddof=1) / math.sqrt(len(values))))


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


@pytest.mark.jit
def test_ucb1_has_less_regret_than_its_theorem_allows():
    regret = simulate(UCB(), Bernoulli([0.9, 0.6]), 50_000, 150, seed=2, checkpoints=[5_000]).replications.pseudo_regret
    for mean, t in zip(regret.mean(axis=0), (5_000, 50_000), strict=True):  # Auer et al. 2002, theorem 1
        assert mean < 8.0 * math.log(t) / 0.3 + (1.0 + math.pi**2 / 3.0) * 0.3
