"""Wilson intervals against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from numerics.statistics.intervals import wilson

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
    assert wilson(0.0, 0) == (0.0, 1.0)
