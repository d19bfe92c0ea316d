"""Wilson intervals against SciPy, and what they are worth with draws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from experiments.statistics.intervals import tally, wilson


@pytest.mark.parametrize(("wins", "games"), [(0, 1), (1, 1), (0, 20), (20, 20), (7, 20), (450, 1000), (999, 1000)])
def test_wilson_is_scipys(wins, games):
    expected = stats.binomtest(wins, games).proportion_ci(0.95, method="wilson")
    assert np.allclose(wilson(wins, games), (expected.low, expected.high), rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("games", range(1, 60))
def test_the_interval_holds_the_score_to_the_last_bit(games):
    for points in (0.0, 0.5, games / 2.0, games - 0.5, float(games)):
        low, high = wilson(points, games)
        assert 0.0 <= low <= points / games <= high <= 1.0


def test_without_games_nothing_is_known():
    assert wilson(0.0, 0) == (0.0, 1.0)
    assert np.isnan(tally([])["score"])


def test_a_draw_counts_half():
    counted = tally([1, 0, 0, -1, -1])
    assert (counted["games"], counted["wins"], counted["draws"], counted["losses"]) == (5, 1, 2, 2)
    assert counted["score"] == 0.4
    assert (counted["score_low"], counted["score_high"]) == wilson(2.0, 5)


@pytest.mark.parametrize(("win", "draw"), [(0.5, 0.0), (0.9, 0.05), (0.3, 0.4), (0.02, 0.01)])
def test_the_interval_covers_the_expected_score_at_least_as_often_as_it_says(win, draw):
    generator = np.random.default_rng(1927)
    games, repeats = 60, 4_000
    results = generator.choice([1, 0, -1], p=[win, draw, 1.0 - win - draw], size=(repeats, games))
    points = (results == 1).sum(axis=1) + (results == 0).sum(axis=1) / 2.0
    limits = np.array([wilson(float(one), games) for one in points])
    expected = win + draw / 2.0
    covered = ((limits[:, 0] <= expected) & (expected <= limits[:, 1])).mean()
    assert covered > 0.925  # Wilson's interval is 0.95 on average over rates, a little less or more at single ones
