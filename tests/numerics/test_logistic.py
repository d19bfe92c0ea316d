"""Logistic lines against the closed form of two points, and what their intervals promise."""

from __future__ import annotations

import numpy as np
import pytest

from numerics.statistics import Line, fit_line
from tests.internals import NORMAL_95


def logit(share):
    return np.log(share / (1.0 - share))


@pytest.mark.parametrize("games", [(40, 40), (7, 300)])
@pytest.mark.parametrize("shares", [(0.3, 0.6), (0.0, 0.5), (0.9, 1.0)])
def test_two_points_have_the_line_and_the_errors_of_their_log_odds(shares, games):
    x, total = np.array([-1.0, 2.5]), np.array(games) + 0.1  # a tenth of a drawn game is added to each
    points = np.array(shares) * games
    share = (points + 0.05) / total
    variances = 1.0 / (total * share * (1.0 - share))
    line = fit_line(x, points, games)
    slope = np.diff(logit(share))[0] / 3.5
    assert (line.slope, line.start) == pytest.approx((slope, logit(share)[0] + slope), rel=1e-9)
    assert line.slope_error == pytest.approx(np.sqrt(variances.sum()) / 3.5, rel=1e-9)
    from_both = np.array([[2.5, 1.0], [-1.0, 1.0]]) / 3.5  # start and slope by the log odds of both points
    np.testing.assert_allclose(line.covariance, from_both @ np.diag(variances) @ from_both.T, rtol=1e-9)


@pytest.mark.parametrize(("off", "factor"), [(0.0, 1.0), (0.02, 1.0), (0.3, None)])
def test_errors_are_wider_where_scores_scatter_more_than_chance_and_never_narrower(off: float, factor: float | None):
    x, games = np.arange(5.0), np.full(5, 50.0)
    share = 1.0 / (1.0 + np.exp(-(1.0 - 0.5 * x))) + off * np.array([1, -1, 0, 1, -1]) * 0.5
    line = fit_line(x, share * games, games)
    expected, total = line.score(x), games + 0.1
    weights = total * expected * (1.0 - expected)
    design = np.column_stack([np.ones(5), x])
    chance = float(((share * games + 0.05 - total * expected) ** 2 / weights).sum()) / 3.0
    factor = chance if factor is None else factor
    assert (chance > 1.0) == (factor != 1.0)
    np.testing.assert_allclose(
        line.covariance, factor * np.linalg.inv(design.T @ (design * weights[:, None])), rtol=1e-7
    )


def test_the_ends_of_the_half_are_where_zero_is_just_within_the_errors_of_the_line():
    line = fit_line([0, 1, 2, 3], [38, 33, 12, 4], [40, 40, 40, 40])
    low, high = line.half()
    assert low < line.x_of(0.5) < high
    for x, errors in ((low, -NORMAL_95), (high, NORMAL_95)):
        assert line.score(x, errors) == pytest.approx(0.5, abs=1e-9)
    level = fit_line([0, 1, 2], [20, 21, 20], [40, 40, 40])
    assert level.half() == (-np.inf, np.inf)
    assert np.isnan(Line(0.3, 0.0, np.eye(2)).x_of(0.5))
