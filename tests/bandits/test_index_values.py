"""Index values, divergences and constants against numbers computed elsewhere."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from bandits import Bernoulli, Gaussian, RandomBernoulli, RandomGaussian, bernoulli_kl, lai_robbins_constant
from bandits.policies import kl_ucb, ucb
from tests import naive
from tests.bandits.states import scores
from tests.data import read
from tests.internals import kl_index

pytestmark = pytest.mark.kernels

EXACT, CLOSED = read("bandit_exact_values"), read("exact_regret")


@pytest.mark.parametrize("row", EXACT["ucb1"], ids=str)
def test_ucb1_has_the_published_index(row: dict[str, float]):
    out = scores(ucb.ucb, [row["n"], row["n"]], [row["mu"], 0.0], row["t"], [math.sqrt(2.0)])
    assert out[0] == pytest.approx(row["index"], abs=1e-9)


@pytest.mark.parametrize("row", EXACT["klucb_c0"], ids=str)
def test_kl_ucb_has_the_published_index(row: dict[str, float]):
    alone = scores(kl_ucb.kl_ucb, [row["n"]], [row["mu"]], row["t"], [0.0])
    assert alone[0] == pytest.approx(row["index"], abs=1e-9)
    crowd = scores(kl_ucb.kl_ucb, [1e6, row["n"], 1e6], [0.0, row["mu"], 0.0], row["t"], [0.0])
    assert crowd[1] == pytest.approx(row["index"], abs=1e-9)
    assert int(np.argmax(crowd)) == 1


@pytest.mark.parametrize("pair", EXACT["klBern"])
def test_bernoulli_divergences_are_the_published_ones(pair: str):
    p, q = map(float, pair.split(","))
    assert float(bernoulli_kl(p, q)) == pytest.approx(EXACT["klBern"][pair], abs=1e-12)
    assert kl_index.bernoulli_kl(p, q) == pytest.approx(EXACT["klBern"][pair], abs=1e-12)


def test_bernoulli_divergence_at_the_ends():
    assert float(bernoulli_kl(0.0, 0.0)) == 0.0
    assert float(bernoulli_kl(1.0, 1.0)) == 0.0
    assert math.isinf(float(bernoulli_kl(0.5, 1.0)))
    assert math.isinf(float(bernoulli_kl(0.5, 0.0)))
    assert float(bernoulli_kl(0.0, 0.25)) == pytest.approx(-math.log(0.75))
    np.testing.assert_allclose(bernoulli_kl([0.1, 0.2], 0.4), [naive.bernoulli_kl(p, 0.4) for p in (0.1, 0.2)])


@pytest.mark.parametrize("row", EXACT["lai_robbins"], ids=lambda row: str(row["mus"]))
def test_lai_robbins_constants_are_the_published_ones(row: dict):
    assert lai_robbins_constant(Bernoulli(row["mus"])) == pytest.approx(row["constant"], rel=1e-12)


@pytest.mark.parametrize("row", CLOSED["lai_robbins"]["rows"], ids=str)
def test_lai_robbins_constants_agree_to_the_digits_given(row: dict):
    means = row.get("means") or np.linspace(row["linspace"][0], row["linspace"][1], row["linspace"][2])
    for order in (means, means[::-1]):
        assert lai_robbins_constant(Bernoulli(order)) == pytest.approx(row["constant"], abs=0.51 * 10 ** -row["digits"])


def test_lai_robbins_constant_of_gaussian_arms_is_the_sum_of_2_variance_over_gap():
    arms = Gaussian([1.0, 0.5, -1.0, 1.0], scale=3.0)
    assert lai_robbins_constant(arms) == pytest.approx(2.0 * 9.0 / 0.5 + 2.0 * 9.0 / 2.0)


def test_lai_robbins_constant_is_0_without_a_worse_arm_or_below_certainty_and_unknown_for_random_means():
    assert lai_robbins_constant(Bernoulli([0.4, 0.4])) == 0.0
    assert lai_robbins_constant(Bernoulli([1.0, 0.3])) == 0.0
    assert math.isnan(lai_robbins_constant(RandomBernoulli(arms=2)))


def _divergence(p: float, q: float) -> float:
    """The definition in 400 digits."""
    with localcontext() as context:
        context.prec = 400
        a, b = Decimal(p), Decimal(q)
        return float((a * (a / b).ln() if a else 0) + (1 - a) * ((1 - a) / (1 - b)).ln())


def test_the_divergence_loses_no_digits_where_its_terms_cancel_or_vanish():
    pairs = [(0.0, 1e-17), (1e-20, 2e-20), (1e-300, 2e-300), (0.1, 0.1 + 1e-7), (0.3, 0.9), (1e-9, 1.001e-9)]
    for p, q in [*pairs, (0.2, 1.0 - 1e-16), (0.999999, 0.9999995), (0.0608, 0.0601), (0.5, 1e-300)]:
        assert float(bernoulli_kl(p, q)) == pytest.approx(_divergence(p, q), rel=1e-10, abs=0.0)


@pytest.mark.parametrize(("a", "arms"), [(1e-6, 2), (0.1, 100_000), (1.0, 10), (30.0, 1_000), (1e6, 100_000)])
def test_the_best_of_many_random_means_is_exact_where_its_law_is_narrow(a, arms):
    # The best of K means with P(X < x) = x^a has P = x^(a K), so that its mean is a K / (a K + 1).
    exact = a * arms / (a * arms + 1.0) - a / (a + 1.0)
    assert RandomBernoulli(arms, a, 1.0).uniform_regret() == pytest.approx(exact, rel=1e-8)


def test_uniform_regret_is_the_best_mean_less_the_average():
    assert Bernoulli([0.2, 0.9, 0.4]).uniform_regret() == pytest.approx(0.9 - 0.5)
    assert RandomBernoulli(arms=2).uniform_regret() == pytest.approx(2 / 3 - 1 / 2)  # of uniform means
    assert RandomGaussian(arms=2, spread=3.0).uniform_regret() == pytest.approx(3.0 / math.sqrt(math.pi))
    for arms in (RandomBernoulli(5, a=0.05, b=2.0), RandomBernoulli(20, a=30.0, b=0.2), RandomGaussian(10)):
        means = arms.draw_means(seed=2, first=0, runs=10_000)
        gaps = means.max(axis=1) - means.mean(axis=1)
        assert abs(gaps.mean() - arms.uniform_regret()) < 5.0 * gaps.std() / math.sqrt(10_000)
