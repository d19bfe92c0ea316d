"""Logarithm, exponential and Beta quantiles of the kernels against the ones of libm and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bandits.kernels import beta_quantile, elementary
from numerics.kernels.jit import kernel


@kernel("void(float64[::1], float64[::1], float64[::1])")
def both(x, logarithms, exponentials):
    for i in range(x.size):
        logarithms[i] = elementary.ln(x[i])
        exponentials[i] = elementary.exp(-x[i])


def test_logarithm_and_exponential_are_within_two_units_in_the_last_place():
    generator = np.random.default_rng(4)
    x = np.concatenate([
        10.0 ** generator.uniform(-300, 300, 300), 1.0 + generator.normal(0.0, 1e-4, 300),
        generator.uniform(0.5, 2.0, 300), generator.uniform(1.0, 699.0, 300), np.arange(1.0, 100.0),
        [1.0, 0.5, 2.0, 2.0**-1022, 1e308],
    ])  # fmt: skip
    logarithms, exponentials = np.empty_like(x), np.empty_like(x)
    both(x, logarithms, exponentials)
    assert (np.abs(logarithms - np.log(x)) <= 2.0 * np.spacing(np.abs(np.log(x)))).all()
    expected = np.where(x < 700.0, np.exp(-x), 0.0)
    assert (np.abs(exponentials - expected) <= 2.0 * np.spacing(expected)).all()
    assert logarithms[x == 1.0].tolist() == [0.0] * (x == 1.0).sum()


@pytest.mark.parametrize("prior", [0.5, 1.0, 3.0])
@pytest.mark.parametrize(("pulls", "mean"), [(1, 0.0), (1, 1.0), (7, 3 / 7), (400, 0.01), (400, 1.0), (30_000, 0.9)])
def test_the_upper_quantile_of_a_posterior_is_scipys(pulls: int, mean: float, prior: float):
    n, m = np.float64(pulls), np.float64(mean)
    a, b = prior + n * m, prior + n * (1.0 - m)
    for level in (0.6931471805599453, 3.0, 9.2, 30.0):
        found = beta_quantile.beta_upper(a, b, level, beta_quantile.guess(m, n, level))
        assert found == pytest.approx(stats.beta(a, b).isf(np.exp(-level)), rel=1e-11)
        log_tail, hazard = beta_quantile.tail_and_hazard(a, b, found, 1.0 - found, beta_quantile.log_beta(a, b))
        assert log_tail == pytest.approx(stats.beta(a, b).logsf(found), abs=1e-9)
        assert hazard == pytest.approx(stats.beta(a, b).pdf(found) / stats.beta(a, b).sf(found), rel=1e-9)
