"""Intervals of quantiles: against the binomial law summed by hand, and where laws have steps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from numerics.statistics import quantile_interval


def at_most(k: int, n: int, p: float) -> float:
    return sum(math.comb(n, i) * p**i * (1.0 - p) ** (n - i) for i in range(k + 1))


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9, 0.95])
@pytest.mark.parametrize("n", [1, 7, 30, 200])
def test_the_ends_are_the_narrowest_that_binomial_tails_allow(n, share):
    quantile, low, high = quantile_interval(np.arange(1.0, n + 1.0), share)
    assert quantile == math.ceil(share * n)
    first = 0 if low == -math.inf else int(low)
    last = n + 1 if high == math.inf else int(high)
    assert first == 0 or at_most(first - 1, n, share) < 0.025
    assert at_most(first, n, share) >= 0.025 * (1.0 - 1e-12)
    assert last == n + 1 or at_most(last - 1, n, share) >= 0.975 * (1.0 - 1e-12)
    assert last == 1 or at_most(last - 2, n, share) < 0.975


def test_equal_values_are_their_interval_and_nothing_is_refused():
    assert quantile_interval([3.0] * 50, 0.5) == (3.0, 3.0, 3.0)
    with pytest.raises(ValueError, match="values must have at least one number; got none"):
        quantile_interval([], 0.5)
    with pytest.raises(ValueError, match="share must be"):
        quantile_interval([1.0], 1.5)
