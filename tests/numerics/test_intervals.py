"""Intervals of a rate against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from numerics.statistics import clopper_pearson, wilson

pytestmark = pytest.mark.jit  # how kernels run decides nothing here


@pytest.mark.parametrize(("wins", "games"), [(0, 1), (1, 1), (0, 20), (20, 20), (7, 20), (450, 1000), (999, 1000)])
def test_wilson_is_scipys_with_continuity(wins, games):
    expected = stats.binomtest(wins, games).proportion_ci(0.95, method="wilsoncc")
    assert np.allclose(wilson(wins, games), (expected.low, expected.high), rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("games", range(1, 60))
def test_the_interval_holds_the_score_to_the_last_bit(games):
    for points in (0.0, 0.5, games / 2.0, games - 0.5, float(games)):
        low, high = wilson(points, games)
        assert 0.0 <= low <= points / games <= high <= 1.0


def test_without_trials_nothing_is_known():
    assert wilson(0.0, 0) == clopper_pearson(0, 0) == (0.0, 1.0)


def test_clopper_pearson_ends_are_quantiles_of_beta_laws():
    generator = np.random.default_rng(5)
    n = np.concatenate([generator.integers(1, 3_000, 100_000), [1, 1, 10**7, 10**7]])
    k = np.concatenate([generator.binomial(n[:-4], generator.beta(0.3, 3.0, 100_000)), [0, 1, 3, 10**7 - 1]])
    low, high = clopper_pearson(k, n, 0.05)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(low, np.where(k == 0, 0.0, stats.beta.ppf(0.025, k, n - k + 1)), rtol=1e-14)
        np.testing.assert_allclose(high, np.where(k == n, 1.0, stats.beta.ppf(0.975, k + 1, n - k)), rtol=1e-14)
    for place in [*range(40), *range(-4, 0)]:  # SciPy finds these by bisection, to about 1e-12
        exact = stats.binomtest(int(k[place]), int(n[place])).proportion_ci(0.95, "exact")
        np.testing.assert_allclose([low[place], high[place]], [exact.low, exact.high], atol=1e-11)
