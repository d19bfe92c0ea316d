"""Reward laws: how uniforms become rewards, and the divergence of each."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from bandits import Arms, Bernoulli, Beta, Binomial, Exponential, Poisson
from tests.bandits.laws import FIXED

pytestmark = pytest.mark.kernels

GRID = (np.arange(1_000) + 0.5) / 1_000
EXTREME = [
    (Bernoulli([0.0, 1.0]), [0.0, 1.0]),
    (Beta([0.0, 1.0]), [0.0, 1.0]),
    (Binomial([0.0, 1.0], trials=7), [0.0, 1.0]),
    (Beta([0.03, 0.9], concentration=300.0), [stats.beta(9.0, 291.0), stats.beta(270.0, 30.0)]),
    (Binomial([0.02, 0.93], trials=1_000), [stats.binom(1_000, 0.02), stats.binom(1_000, 0.93)]),
    (Poisson([0.1, 45.0]), [stats.poisson(0.1), stats.poisson(45.0)]),
    (Exponential([0.1, 45.0]), [stats.expon(scale=0.1), stats.expon(scale=45.0)]),
]


@pytest.mark.parametrize(("arms", "laws"), [*FIXED, *EXTREME], ids=lambda one: getattr(one, "name", ""))
def test_evenly_spaced_uniforms_pay_the_quantiles_of_the_law_and_both_ends_are_finite(arms, laws):
    for arm, law in enumerate(laws):

        def paid(uniforms, arm=arm):
            size, out = len(uniforms), np.full(len(uniforms), np.nan)
            means = np.full(size, arms.fixed_means[arm])
            arms.reward_law.compiled(np.array(uniforms), means, np.full(size, arm), arms.law_params, out)
            return out

        assert np.isfinite(paid([0.0, 1.0 - 2.0**-53])).all(), "what a stream gives at its ends"
        rewards = paid(GRID)
        if isinstance(law, float):
            assert (rewards == law).all()
        elif getattr(law, "dist", None) and law.dist.name == "beta":  # drawn by rejection, from a stream of its own
            assert stats.kstest(paid(np.random.default_rng(2).random(1_000)), law.cdf).pvalue > 1e-3
            assert np.array_equal(rewards, paid(GRID))
        else:
            expected = law.ppf(GRID)
            expected = law.paid[expected.astype(int)] if hasattr(law, "paid") else expected
            trials = arms.trials if arms.name == "binomial" and not hasattr(law, "paid") else 1
            np.testing.assert_allclose(np.sort(rewards) * trials, np.sort(expected), rtol=1e-11, atol=1e-9)


LAWS = {
    "exponential": (1.0, 2.0, 1.0, lambda mean, _: stats.expon(scale=mean), (0.0, 60.0)),
    "uniform": (0.2, 0.4, 1.0, lambda mean, _: stats.uniform(0.0, 2.0 * mean), (0.0, 0.4)),
    "beta": (0.4, 0.6, 8.0, lambda mean, c: stats.beta(c * mean, c * (1.0 - mean)), (0.0, 1.0)),
    "poisson": (3.0, 4.5, 1.0, lambda mean, _: stats.poisson(mean), 80),
    "binomial": (0.3, 0.5, 10.0, lambda mean, n: stats.binom(int(n), mean), 11),
}


@pytest.mark.jit
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
