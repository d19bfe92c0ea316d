"""Intervals of means, the test of a mean of 0, and quantiles of further values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from numerics.statistics import means

pytestmark = pytest.mark.jit  # how kernels run decides nothing here

RNG = np.random.default_rng(0)
SKEWED = RNG.exponential(size=(30, 400)) - 0.8


def test_the_skewness_is_that_of_scipy_and_0_of_equal_or_few_values():
    np.testing.assert_allclose(means.skewness(SKEWED), stats.skew(SKEWED, axis=0, bias=False))
    assert means.skewness(np.full(5, 0.1)) == 0.0
    assert means.skewness(np.array([0.0, 1.0])) == 0.0


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95])
def test_the_interval_holds_students_and_the_p_value_says_when_it_leaves_0_out(confidence):
    low, high = means.interval_of(SKEWED, confidence)
    student = stats.ttest_1samp(SKEWED, 0.0, axis=0).confidence_interval(confidence)
    assert (low <= student.low + 1e-12).all()
    assert (high >= student.high - 1e-12).all()
    p = means.p_value(SKEWED.mean(axis=0), means.standard_error(SKEWED), means.skewness(SKEWED), len(SKEWED))
    apart = (low > 0.0) | (high < 0.0)
    np.testing.assert_array_equal(apart, p < 1.0 - confidence)
    assert 0 < apart.sum() < apart.size


def test_of_many_values_it_is_students():
    values = RNG.normal(1.0, 2.0, 200_000)
    student = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    low, high = means.interval_of(values)
    assert low == pytest.approx(student.low, abs=2e-5)
    assert high == pytest.approx(student.high, abs=2e-5)


def test_an_interval_mirrors_with_its_values():
    low, high = means.interval_of(SKEWED)
    mirrored_low, mirrored_high = means.interval_of(-SKEWED)
    np.testing.assert_allclose(mirrored_low, -high)
    np.testing.assert_allclose(mirrored_high, -low)


def test_a_single_value_has_no_interval_and_equal_ones_have_one_without_width():
    assert np.isnan(means.interval_of(np.array([3.0]))).all()
    assert np.isnan(means.p_value(3.0, np.nan, 0.0, 1))
    assert [float(end) for end in means.interval_of(np.full(4, 0.1))] == pytest.approx([0.1, 0.1])
    assert np.isnan(means.p_value(0.1, 0.0, 0.0, 4))
    assert means.p_value(0.0, 0.0, 0.0, 4) == 1.0


def test_between_the_quantiles_to_come_lie_as_many_further_values_as_they_say():
    drawn = RNG.uniform(size=(20, 4_000))
    low, high = means.quantiles_to_come(drawn, [0.05, 0.95])
    assert (high - low).mean() == pytest.approx(0.9, abs=0.005)
    narrow = np.quantile(drawn, [0.05, 0.95], axis=0)
    assert (narrow[1] - narrow[0]).mean() < 0.83
