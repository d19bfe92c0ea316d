"""The probability that an arm is the best and the expected loss of choosing it, held against exact values."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, stats

from bandits import compare_means, compare_rates

EXACT = [  # parameters of the posteriors and rationals, from integrals of polynomials
    ([(1, 1), (2, 1)], [Fraction(1, 3), Fraction(2, 3)]),
    ([(3, 2), (2, 3), (1, 1)], [Fraction(1, 2), Fraction(1, 7), Fraction(5, 14)]),
    ([(10, 1), (1, 10)], [Fraction(184755, 184756), Fraction(1, 184756)]),
    ([(5, 5), (6, 5)], [Fraction(38251, 92378), Fraction(54127, 92378)]),
    (
        [(5, 3), (4, 4), (9, 2), (1, 1), (2, 6)],
        [
            Fraction(32301983, 266112990),
            Fraction(382643, 11827244),
            Fraction(3107419, 4548940),
            Fraction(1251001, 7713420),
            Fraction(515987, 532225980),
        ],
    ),
    (  # the example of the R package bandit
        [(11, 91), (21, 83), (31, 91), (51, 81)],
        [1.6118633337100338e-07, 0.0008048292559527076, 0.01142867156177864, 0.9877663379959353],
    ),
]


def of_posteriors(*laws):
    """Return the chances of arms with these Beta posteriors, whose parameters are at least 1."""
    return compare_rates([a - 1 for a, _ in laws], [a + b - 2 for a, b in laws])


@pytest.mark.parametrize(("laws", "best"), EXACT, ids=str)
def test_the_probability_of_being_best_is_the_exact_one(laws, best):
    np.testing.assert_allclose(of_posteriors(*laws).best, [float(one) for one in best], rtol=0.0, atol=1e-12)


def test_narrow_posteriors_are_seen():
    """A rule with fixed nodes on [0, 1] returns 0, 0, 0."""
    found = of_posteriors((5001, 995001), (5101, 994901), (4901, 995101))
    np.testing.assert_allclose(found.best, [0.15552586, 0.83135463, 0.01311950], atol=1e-8)


def test_a_thousand_million_pulls_cost_no_digit():
    a, b = np.array([4.9e8, 4.9e8 + 1e4]), np.array([5e8, 5e8])
    found = compare_rates(a - 1.0, a + b - 2.0)
    mean, variance = a / (a + b), a * b / (a + b) ** 3
    z = (mean[1] - mean[0]) / math.sqrt(variance.sum())  # the laws are Gaussian, but for 1e-9
    assert found.best[1] == pytest.approx(stats.norm.cdf(z), abs=2e-9)


def test_rates_of_a_thousand_million_failures_have_the_closed_form():
    """P(Beta(1, b) > Beta(1, c)) = c / (b + c), P(Beta(1, c) > Beta(2, b)) = b (b + 1) / ((b + c) (b + c + 1))."""
    rng = np.random.default_rng(3)
    for b, c in [(977_504_094, 768_074_560), *rng.integers(10**7, 10**9, (20, 2)).tolist()]:
        assert compare_rates([0, 0], [b - 1, c - 1]).best[0] == pytest.approx(c / (b + c), abs=1e-10)
        below = Fraction(b * (b + 1), (b + c) * (b + c + 1))
        assert compare_rates([1, 0], [b, c - 1]).best[1] == pytest.approx(float(below), abs=5e-10)
    assert compare_rates([0, 0], [5e8, 1e9], beta=1e9).best[1] == pytest.approx(3 / 7, abs=1e-10)


def test_the_expected_loss_is_that_of_the_closed_forms():
    """Uniform means: E[largest of K] = K / (K + 1). Beta(1, 2) and Beta(2, 1): E[max] = 7/10."""
    for arms in (2, 3, 50):
        found = compare_rates([0] * arms, [0] * arms)
        np.testing.assert_allclose(found.loss, arms / (arms + 1) - 0.5, rtol=0.0, atol=1e-13)
        np.testing.assert_allclose(found.best, 1.0 / arms, rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(of_posteriors((1, 2), (2, 1)).loss, [0.7 - 1 / 3, 0.7 - 2 / 3], rtol=0.0, atol=1e-13)


def test_a_tiny_loss_keeps_its_digits():
    """Of Beta(10, 1) and Beta(1, 10): E[(Y - X); Y > X] by fractions."""
    g = Fraction(1, 184756)  # P(Y > X)
    joint = {}
    for i in range(10):  # the density of X is 10 x^9, P(Y > x) = (1 - x)^10, E[Y; Y > x] = (1-x)^10 (1 + 10 x) / 11
        joint[i] = Fraction(math.comb(10, i) * (-1) ** i)
    joint[10] = Fraction(1)
    power = lambda extra: sum(10 * c * Fraction(1, 10 + i + extra) for i, c in joint.items())  # noqa: E731
    assert power(0) == g
    loss = (power(0) + 10 * power(1)) / 11 - power(1)
    assert of_posteriors((10, 1), (1, 10)).loss[0] == pytest.approx(float(loss), rel=1e-9)


def test_priors_below_one_put_the_means_at_the_ends():
    """Beta(1e-6, 1e-6) is 0 or 1, each with probability 1/2: of three arms the best is 1 with probability 7/8."""
    found = compare_rates([0, 0, 0], [0, 0, 0], alpha=1e-6, beta=1e-6)
    np.testing.assert_allclose(found.best, 1 / 3, atol=1e-12)
    np.testing.assert_allclose(found.loss, 7 / 8 - 1 / 2, atol=1e-5)
    half = compare_rates([0, 1], [1, 1], alpha=0.5, beta=0.5)  # Beta(1/2, 3/2), Beta(3/2, 1/2)
    assert half.best[1] == pytest.approx(0.5 + 4.0 / math.pi**2, abs=1e-12)


def test_two_gaussian_posteriors_of_any_widths_have_the_closed_form():
    rng = np.random.default_rng(0)
    for _ in range(100):
        ratio = 10.0 ** rng.uniform(-30.0, 0.0)
        sd = rng.choice([1.0, 10.0 ** rng.uniform(-12.0, 12.0)]) * rng.permutation([1.0, ratio])
        mean = rng.normal(size=2) * sd.max() * rng.choice([1e-8, 0.1, 1.0, 3.0])
        found, spread = compare_means(mean.tolist(), sd.tolist()), math.hypot(*sd)
        z = (mean[1] - mean[0]) / spread
        assert found.best[1] == pytest.approx(stats.norm.cdf(z), abs=1e-12)
        gain = spread * (stats.norm.pdf(z) + z * stats.norm.cdf(z))
        np.testing.assert_allclose(found.loss, [gain, gain - (mean[1] - mean[0])], rtol=0.0, atol=1e-12 * sd.max())


@pytest.mark.parametrize(("at", "sd"), [(-1.0, 1e-9), (0.3, 1e-15), (2.0, 1e-17), (0.3, 1e-200)])
def test_a_mean_that_is_nearly_known_is_a_point_beside_the_others(at: float, sd: float):
    found = compare_means([0.0, 0.5, at, at], [1.0, 0.7, sd, sd])
    first, second = stats.norm(0.0, 1.0), stats.norm(0.5, 0.7)
    above = [
        integrate.quad(lambda x: first.pdf(x) * second.cdf(x), at, 12.0)[0],
        integrate.quad(lambda x: second.pdf(x) * first.cdf(x), at, 12.0)[0],
    ]
    known = first.cdf(at) * second.cdf(at)
    np.testing.assert_allclose(found.best, [*above, known / 2, known / 2], rtol=0.0, atol=2e-9)
