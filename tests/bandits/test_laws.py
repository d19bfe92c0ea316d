"""Reward laws: how one uniform becomes a reward."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from bandits import Arms

LEAST, MOST = 0.0, 1.0 - 2.0**-53  # the ends of what a stream gives


def _rewards(law: str, uniforms: list[float], mean: float, scale: float = 1.0) -> np.ndarray:
    out = np.full(len(uniforms), np.nan)
    law_hook, arm = Arms.members[law]([0.1, 0.2]).reward_law, np.ones(len(uniforms), np.int64)
    law_hook.compiled(np.array(uniforms), np.full(len(uniforms), mean), arm, np.array([[np.nan], [scale]]), out)
    return out


def test_a_bernoulli_arm_pays_where_the_uniform_is_below_its_mean():
    uniforms = [LEAST, 0.29, 0.3, 0.31, MOST]
    assert _rewards("bernoulli", uniforms, 0.3).tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert _rewards("bernoulli", uniforms, 0.0).tolist() == [0.0] * 5
    assert _rewards("bernoulli", uniforms, 1.0).tolist() == [1.0] * 5


def test_a_gaussian_arm_pays_the_quantile_of_the_uniform_and_is_finite_at_both_ends():
    uniforms = [0.01, 0.3, 0.5, 0.77, 0.999]
    np.testing.assert_allclose(_rewards("gaussian", uniforms, 2.0, 3.0), stats.norm(2.0, 3.0).ppf(uniforms), rtol=1e-12)
    low, high = _rewards("gaussian", [LEAST, MOST], 0.0)
    assert -9.0 < low < -8.0
    assert 8.0 < high < 9.0


FINE = [LEAST, 0.01, 0.2, 0.5, 0.77, 0.999]


@pytest.mark.parametrize("mean", [0.1, 3.0, 45.0])
def test_poisson_and_exponential_arms_pay_the_quantile_of_the_uniform(mean):
    np.testing.assert_allclose(_rewards("exponential", FINE, mean), stats.expon(scale=mean).ppf(FINE), rtol=1e-12)
    assert _rewards("poisson", FINE[1:], mean).tolist() == stats.poisson(mean).ppf(FINE[1:]).tolist()
    assert _rewards("poisson", [LEAST, MOST], mean)[1] < 200.0
    assert np.isfinite(_rewards("exponential", [MOST], mean)).all()


@pytest.mark.parametrize("trials", [1, 7, 1000])
@pytest.mark.parametrize("mean", [0.0, 0.02, 0.5, 0.93, 1.0])
def test_a_binomial_arm_pays_the_share_of_successes(mean, trials):
    uniforms = np.random.default_rng(1).random(400)
    paid = _rewards("binomial", uniforms.tolist(), mean, float(trials)) * trials
    law = stats.binom(trials, min(mean, 1.0 - mean))
    expected = law.ppf(uniforms)  # of the rarer outcome
    np.testing.assert_allclose(paid, trials - expected if mean > 0.5 else expected, atol=1e-9)


def test_a_uniform_arm_pays_up_to_twice_its_mean():
    np.testing.assert_allclose(_rewards("uniform", FINE, 0.3), stats.uniform(0.0, 0.6).ppf(FINE), rtol=1e-12)


@pytest.mark.parametrize(("mean", "concentration"), [(0.5, 10.0), (0.03, 2.0), (0.9, 300.0)])
def test_a_beta_arm_pays_rewards_of_its_law_and_the_same_for_the_same_uniform(mean, concentration):
    uniforms = np.random.default_rng(2).random(4_000).tolist()
    paid = _rewards("beta", uniforms, mean, concentration)
    law = stats.beta(mean * concentration, (1.0 - mean) * concentration)
    assert stats.kstest(paid, law.cdf).pvalue > 1e-3
    assert np.array_equal(paid, _rewards("beta", uniforms, mean, concentration))
    assert abs(np.corrcoef(paid[1:], paid[:-1])[0, 1]) < 0.07
    assert _rewards("beta", [LEAST, 0.5], 0.0).tolist() == [0.0, 0.0]
    assert _rewards("beta", [LEAST, 0.5], 1.0).tolist() == [1.0, 1.0]


LAWS = {
    "exponential": (1.0, 2.0, 1.0, lambda mean, _: stats.expon(scale=mean), (0.0, 60.0)),
    "uniform": (0.2, 0.4, 1.0, lambda mean, _: stats.uniform(0.0, 2.0 * mean), (0.0, 0.4)),
    "beta": (0.4, 0.6, 8.0, lambda mean, c: stats.beta(c * mean, c * (1.0 - mean)), (0.0, 1.0)),
    "poisson": (3.0, 4.5, 1.0, lambda mean, _: stats.poisson(mean), 80),
    "binomial": (0.3, 0.5, 10.0, lambda mean, n: stats.binom(int(n), mean), 11),
}


@pytest.mark.parametrize("name", LAWS)
def test_the_divergence_is_that_of_the_definition(name):
    p, q, scale, law, ends = LAWS[name]
    one, other = law(p, scale), law(q, scale)
    if isinstance(ends, int):
        k = np.arange(ends)
        expected = float(np.sum(one.pmf(k) * (one.logpmf(k) - other.logpmf(k))))
    else:
        expected = integrate.quad(lambda x: one.pdf(x) * (one.logpdf(x) - other.logpdf(x)), *ends)[0]
    hook = Arms.members[name]([0.1, 0.2]).reward_law
    params = np.array([[scale]])
    assert hook.divergence(np.array([p]), np.array([q]), params)[0] == pytest.approx(expected, rel=1e-6)
    assert hook.divergence(np.array([p]), np.array([p]), params)[0] == pytest.approx(0.0, abs=1e-12)
