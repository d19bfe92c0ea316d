"""Means, rates, quantiles, roots, logistic lines and confidence sequences, against SciPy and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from numerics.statistics import (
    Line,
    clopper_pearson,
    fit_line,
    hedged_capital,
    means,
    quantile_interval,
    root_between,
    wilson,
)
from tests.internals import NORMAL_95
from tests.refusals import refused

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


# --- rates ---


@pytest.mark.parametrize(("wins", "games"), [(0, 1), (1, 1), (0, 20), (20, 20), (7, 20), (450, 1000), (999, 1000)])
def test_wilson_is_scipys_with_continuity(wins, games):
    expected = stats.binomtest(wins, games).proportion_ci(0.95, method="wilsoncc")
    assert np.allclose(wilson(wins, games), (expected.low, expected.high), rtol=0.0, atol=1e-12)


def test_the_interval_holds_the_score_to_the_last_bit():
    for games in range(1, 60):
        for points in (0.0, 0.5, games / 2.0, games - 0.5, float(games)):
            low, high = wilson(points, games)
            assert 0.0 <= low <= points / games <= high <= 1.0


def test_without_trials_nothing_is_known():
    assert wilson(0.0, 0) == clopper_pearson(0, 0) == (0.0, 1.0)


def test_clopper_pearson_ends_are_quantiles_of_beta_laws():
    generator = np.random.default_rng(5)
    n = np.concatenate([generator.integers(1, 3_000, 20_000), [1, 1, 10**7, 10**7]])
    k = np.concatenate([generator.binomial(n[:-4], generator.beta(0.3, 3.0, 20_000)), [0, 1, 3, 10**7 - 1]])
    low, high = clopper_pearson(k, n, 0.05)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(low, np.where(k == 0, 0.0, stats.beta.ppf(0.025, k, n - k + 1)), rtol=1e-14)
        np.testing.assert_allclose(high, np.where(k == n, 1.0, stats.beta.ppf(0.975, k + 1, n - k)), rtol=1e-14)
    for place in [*range(40), *range(-4, 0)]:  # SciPy finds these by bisection, to about 1e-12
        exact = stats.binomtest(int(k[place]), int(n[place])).proportion_ci(0.95, "exact")
        np.testing.assert_allclose([low[place], high[place]], [exact.low, exact.high], atol=1e-11)


# --- quantiles ---


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
    refused(lambda: quantile_interval([], 0.5), "values must")
    refused(lambda: quantile_interval([1.0], 1.5), "share must", "1.5")


# --- roots ---


@pytest.mark.parametrize(
    ("function", "low", "high"),
    [
        (lambda x: x * x - 2.0, 0.0, 2.0),
        (lambda x: math.exp(x) - 5.0, -36.0, 12.0),
        (lambda x: math.atan(x - 0.3), -1e3, 1e4),
        (lambda x: x**3 - 1.0, -3.0, 2.5),
        (lambda x: 1.0 if x > 0.123 else -1.0, -1.0, 1.0),
        (lambda x: math.cos(x) - x, 2.0, -2.0),
        (lambda x: x, 0.0, 1.0),
        (lambda x: x - 1.0, 0.0, 1.0),
    ],
)
def test_a_root_is_scipys_to_the_last_bit(function, low, high):
    for within in (1e-2, 1e-9, 2e-12):
        assert root_between(function, low, high, within) == brentq(function, low, high, xtol=within)


def test_equal_signs_at_both_ends_are_refused():
    refused(lambda: root_between(lambda x: x, 1.0, 2.0, 1e-9), "", "low=1.0", "high=2.0")


# --- logistic lines ---


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


# --- confidence sequences ---


SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # of a pair of games


def _left(values: list[float], mean: float, block: int, planned: int | None) -> list[bool]:
    """Return after each observation whether a mean is left, by Waudby-Smith and Ramdas's formulas one by one."""
    kinds = 1 if planned is None else 2
    capitals, left, found = [[1 / kinds] * kinds, [1 / kinds] * kinds], True, []
    total, squares, variance = 0.5, 0.25, 0.25
    for t, x in enumerate(values, start=1):
        if (t - 1) % block == 0:
            after = t - 1 + block
            times = [after * math.log(after + 1), planned][:kinds]
            bets = [math.sqrt(2 * math.log(2 / 0.05) / (variance * time)) for time in times]
        for kind, bet in enumerate(bets):
            capitals[0][kind] *= 1 + min(bet, 0.75 / mean) * (x - mean)
            capitals[1][kind] *= 1 - min(bet, 0.75 / (1 - mean)) * (x - mean)
        total += x
        squares += (x - total / (t + 1)) ** 2
        if t % block == 0:
            left = left and max(map(sum, capitals)) < 2 / 0.05
            variance = squares / (t + 1)
        found.append(left)
    return found


@pytest.mark.parametrize(("block", "planned"), [(1, None), (1, 300), (7, 300), (7, None)])
def test_what_is_left_out_is_what_plain_bets_leave_out(block: int, planned: int | None) -> None:
    values = np.random.default_rng(3).choice(SCORES, 300, p=[0.1, 0.1, 0.3, 0.2, 0.3])
    low, high = hedged_capital(values, block=block, planned=planned)
    for mean in (0.002, 0.2, 0.45, 0.5, 0.55, 0.5943, 0.62, 0.66, 0.7, 0.75, 0.999):
        inside = (low < mean - 1e-9) & (mean + 1e-9 < high)
        assert inside.tolist() == _left(values.tolist(), mean, block, planned), mean


def test_the_sequence_of_the_first_observations_does_not_know_the_later_ones() -> None:
    values = np.random.default_rng(4).choice(SCORES, 500)
    low, high = hedged_capital(values, planned=500)
    for count in (1, 37, 300):
        first = hedged_capital(values[:count], planned=500)
        assert np.array_equal(first, [low[:count], high[:count]])
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) <= 0).all()
    mirrored = hedged_capital(1 - values, planned=500)
    assert np.allclose(mirrored, [1 - high, 1 - low])


@pytest.mark.long
def test_blocks_hold_the_mean_of_their_means() -> None:
    rng, runs = np.random.default_rng(6), 100
    means = np.array([0.0, 1.0, 0.9, 0.1, 0.6])
    missed = 0
    for _ in range(runs):
        low, high = hedged_capital((rng.random(200) < np.tile(means, 40)).astype(float), block=5)
        missed += not low[-1] <= means.mean() <= high[-1]
        assert low[3] == 0.0  # nothing is said amid a block
    assert missed / runs <= 0.05


def test_at_the_planned_number_it_is_a_third_wider_than_the_fixed_interval() -> None:
    values = np.random.default_rng(7).integers(0, 2, 2_000).astype(float)
    low, high = hedged_capital(values, planned=values.size)
    below, above = wilson(values.sum(), values.size)
    assert 1.0 < (high[-1] - low[-1]) / (above - below) < 1.6


def test_observations_that_do_not_vary_end_close_to_their_mean() -> None:
    low, high = hedged_capital(np.full(1_000, 0.5))
    assert low[-1] <= 0.5 <= high[-1]
    assert high[-1] - low[-1] < 0.02
    assert hedged_capital([])[0].size == 0


def test_what_is_no_sequence_of_observations_is_refused() -> None:
    for value in (1.5, math.nan):
        refused(lambda value=value: hedged_capital([0.5, value]), "observations must", f"got {value}")
    for name, value in (("level", 1.0), ("block", 0), ("planned", -3)):
        refused(lambda name=name, value=value: hedged_capital([0.5], **{name: value}), name, f"got {value}")
