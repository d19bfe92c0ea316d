"""Means, rates, quantiles, roots, logistic lines, confidence sequences, laws and ratings, against SciPy and by hand."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from scipy import optimize, stats
from scipy.optimize import brentq

from numerics.statistics import (
    Line,
    Observed,
    Scores,
    clopper_pearson,
    fit_all,
    fit_line,
    hedged_capital,
    laws,
    means,
    quantile_interval,
    root_between,
    wilson,
)
from tests.internals import ELO, NORMAL_95, ratings
from tests.refusals import refused

pytestmark = pytest.mark.jit  # how kernels run decides nothing here

RNG = np.random.default_rng(0)
SKEWED = RNG.exponential(size=(30, 400)) - 0.8


def test_the_skewness_is_that_of_scipy_and_0_of_equal_or_few_values():
    np.testing.assert_allclose(means.skewness(SKEWED), stats.skew(SKEWED, axis=0, bias=False))
    assert means.skewness(np.full(5, 0.1)) == 0.0
    assert means.skewness(np.array([0.0, 1.0])) == 0.0


@pytest.mark.parametrize("confidence", [0.5, 0.95])
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


def test_the_interval_holds_the_score_to_the_last_bit_and_everything_without_trials():
    for games in range(1, 60):
        for points in (0.0, 0.5, games / 2.0, games - 0.5, float(games)):
            low, high = wilson(points, games)
            assert 0.0 <= low <= points / games <= high <= 1.0
    assert wilson(0.0, 0) == clopper_pearson(0, 0) == (0.0, 1.0)


def test_clopper_pearson_ends_are_quantiles_of_beta_laws():
    generator = np.random.default_rng(5)
    n = np.concatenate([generator.integers(1, 3_000, 2_000), [1, 1, 10**7, 10**7]])
    k = np.concatenate([generator.binomial(n[:-4], generator.beta(0.3, 3.0, 2_000)), [0, 1, 3, 10**7 - 1]])
    low, high = clopper_pearson(k, n, 0.05)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(low, np.where(k == 0, 0.0, stats.beta.ppf(0.025, k, n - k + 1)), rtol=1e-14)
        np.testing.assert_allclose(high, np.where(k == n, 1.0, stats.beta.ppf(0.975, k + 1, n - k)), rtol=1e-14)


# --- quantiles ---


def at_most(k: int, n: int, p: float) -> float:
    return sum(math.comb(n, i) * p**i * (1.0 - p) ** (n - i) for i in range(k + 1))


@pytest.mark.parametrize(("n", "share"), [(1, 0.5), (7, 0.05), (30, 0.9), (200, 0.95), (200, 0.5)])
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
    refused(lambda: quantile_interval([], 0.5), "values ")
    refused(lambda: quantile_interval([1.0], 1.5), "share ", "1.5")


# --- roots ---


@pytest.mark.parametrize(
    ("function", "low", "high"),
    [
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


@pytest.mark.parametrize(("shares", "games"), [((0.3, 0.6), (7, 300)), ((0.0, 0.5), (40, 40)), ((0.9, 1.0), (7, 300))])
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


def test_observations_that_do_not_vary_end_close_to_their_mean() -> None:
    low, high = hedged_capital(np.full(1_000, 0.5))
    assert low[-1] <= 0.5 <= high[-1]
    assert high[-1] - low[-1] < 0.02
    assert hedged_capital([])[0].size == 0


def test_where_no_mean_is_left_the_last_interval_stays() -> None:
    values = [0.0] * 300 + [1.0] * 700
    low, high = hedged_capital(values)
    assert (low < high).all()
    assert high[-1] == high[299] < 0.1
    assert (low[600:] == low[-1]).all()
    assert not _left(values, (low[-1] + high[-1]) / 2.0, 1, None)[-1], "else a mean is left"


def test_what_is_no_sequence_of_observations_is_refused() -> None:
    for value in (1.5, math.nan):
        refused(lambda value=value: hedged_capital([0.5, value]), "observations ", f"got {value}")
    for name, value in (("level", 1.0), ("block", 0), ("planned", -3)):
        refused(lambda name=name, value=value: hedged_capital([0.5], **{name: value}), name, f"got {value}")


# --- laws of the length of a game ---


PLIES = np.arange(7, 42, 2)


def discretised(law: str, parameters: tuple[float, ...], plies: np.ndarray, step: int) -> np.ndarray:
    """The probability of each ply by the definition, written out with SciPy's own laws."""
    frozen = {
        "normal": lambda mean, deviation: stats.norm(mean, deviation),
        "lognormal": lambda mean, deviation: stats.lognorm(deviation, scale=math.exp(mean)),
        "gamma": lambda shape, scale: stats.gamma(shape, scale=scale),
        "Weibull": lambda shape, scale: stats.weibull_min(shape, scale=scale),
        "Poisson": lambda mean: stats.poisson(mean),
        "binomial": lambda odds: stats.binom(len(plies) - 1, odds / (1 + odds)),
        "negative binomial": lambda size, mean: stats.nbinom(size, size / (size + mean)),
        "geometric": lambda odds: stats.geom(odds / (1 + odds), loc=-1),
    }[law](*parameters)
    if hasattr(frozen, "pmf"):
        weights = frozen.pmf((plies - plies[0]) // step)
    else:
        weights = frozen.cdf(plies + step / 2) - frozen.cdf(plies - step / 2)
    return weights / weights.sum()


TRUE = [
    ("normal", (21.0, 6.0)),
    ("lognormal", (2.9, 0.35)),
    ("gamma", (8.0, 2.5)),
    ("Weibull", (2.8, 22.0)),
    ("Poisson", (6.0,)),
    ("binomial", (0.7,)),
    ("negative binomial", (3.0, 5.0)),
    ("geometric", (0.3,)),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("law", "parameters"), TRUE)
def test_a_true_law_is_found_again_and_passes(law: str, parameters: tuple[float, ...]):
    shares = discretised(law, parameters, PLIES, 2)
    games = np.random.default_rng(len(law)).multinomial(40_000, shares)
    fits = fit_all(PLIES, games, 7, 41, 2)
    (found,) = [one for one in fits if one.law == law]
    assert list(found.parameters.values()) == pytest.approx(parameters, rel=0.08)
    assert found.probability == pytest.approx(discretised(law, tuple(found.parameters.values()), PLIES, 2), abs=1e-9)
    assert found.p_value > 1e-3
    assert found.total_variation < 0.02
    assert found.aic - fits[0].aic < 6.0  # no other law does much better than the true one


def test_wrong_laws_are_rejected():
    games = np.random.default_rng(3).multinomial(40_000, discretised("Weibull", (2.8, 22.0), PLIES, 2))
    verdicts = {one.law: one.verdict for one in fit_all(PLIES, games, 7, 41, 2)}
    assert verdicts["Weibull"] == "not rejected"
    assert {verdicts[law] for law in ("lognormal", "Poisson", "binomial", "geometric")} == {"rejected"}


def test_no_parameters_near_the_found_ones_are_likelier():
    games = np.random.default_rng(5).multinomial(3_000, discretised("gamma", (8.0, 2.5), PLIES, 2))
    (found,) = [one for one in fit_all(PLIES, games, 7, 41, 2) if one.law == "gamma"]
    shape, scale = found.parameters.values()
    best = games @ np.log(discretised("gamma", (shape, scale), PLIES, 2))
    for factors in ((1.02, 1.0), (0.98, 1.0), (1.0, 1.02), (1.0, 0.98)):
        near = discretised("gamma", (shape * factors[0], scale * factors[1]), PLIES, 2)
        assert games @ np.log(near) < best
    assert found.aic == pytest.approx(4.0 - 2.0 * best)


def test_the_statistic_is_the_one_of_the_pooled_groups():
    games = np.random.default_rng(6).multinomial(400, discretised("normal", (21.0, 6.0), PLIES, 2))
    (found,) = [one for one in fit_all(PLIES, games, 7, 41, 2) if one.law == "normal"]
    expected, groups, total = 400 * found.probability, [], np.zeros(2)
    for pair in zip(expected, games, strict=True):
        total = total + pair
        if total[0] >= 5:
            groups.append(total)
            total = np.zeros(2)
    groups[-1] = groups[-1] + total
    wanted, counted = np.array(groups).T
    truth = stats.chisquare(counted, wanted, ddof=2)
    assert found.chi_square == pytest.approx(truth.statistic)
    assert found.p_value == pytest.approx(truth.pvalue)
    assert found.degrees == len(groups) - 3
    assert found.total_variation == pytest.approx(np.abs(games / 400 - found.probability).sum() / 2)


def test_few_games_and_few_lengths_are_not_fitted_and_others_than_there_are_refused():
    assert fit_all([7, 9, 11], [10, 20, 19], 7, 41, 2) == []
    assert fit_all([7, 9], [500, 300], 7, 11, 2) == []
    refused(lambda: fit_all([7, 8], [100, 100], 7, 41, 2), "plies ", "got 8")
    refused(lambda: fit_all([43], [100], 7, 41, 2), "plies ", "got 43")


def test_games_of_one_length_have_laws_but_nothing_to_test():
    fits = fit_all([21], [60], 7, 41, 2)
    assert {one.law for one in fits} == {one.name for one in laws.laws()}
    assert all(math.isfinite(one.chi_square) and 0.0 <= one.total_variation <= 1.0 for one in fits)
    assert any(one.verdict == "too few games to test" for one in fits)


# --- Bradley-Terry ratings, against a direct fit ---


def direct_fit(points):
    """Maximise the likelihood itself, each pair with 1/20 of a point more on either side; with a mean of 0."""
    counted = np.asarray(points, dtype=float) + 0.05
    np.fill_diagonal(counted, 0.0)

    def loss(strengths):
        beaten = np.log1p(np.exp(strengths[None, :] - strengths[:, None]))
        return np.sum(counted * beaten) + 0.5 * np.sum(strengths) ** 2  # the mean, which the games leave open

    return loss, optimize.minimize(loss, np.zeros(len(points)), method="BFGS", options={"gtol": 1e-8}).x


POINTS = [
    [[0, 12.5, 18], [7.5, 0, 14], [2, 6, 0]],
    [[0, 20, 20, 20], [0, 0, 20, 20], [0, 0, 0, 20], [0, 0, 0, 0]],  # everybody beats everybody below
    [[0, 30, 1], [10, 0, 25], [39, 5, 0]],  # in a circle
]


@pytest.mark.parametrize("points", POINTS)
def test_ratings_are_those_of_a_direct_fit(points):
    elo, *_ = ratings(np.array(points, dtype=float))
    loss, best = direct_fit(points)
    assert np.allclose(elo, ELO * best, atol=0.05)
    assert loss(elo / ELO) <= loss(best) + 1e-9
    assert abs(elo.mean()) < 1e-6


def test_each_end_is_the_farther_of_the_curvatures_and_the_profile_likelihoods():
    points = np.array(POINTS[0], dtype=float)
    elo, *ends = ratings(points)
    at, players = elo / ELO, len(points)
    wins = 1.0 / (1.0 + np.exp(at[None, :] - at[:, None]))
    weights = (points + points.T + 0.1) * wins * wins.T
    np.fill_diagonal(weights, 0.0)
    # A spring of strength 1 on the sum fixes the mean: its share of the inverse is 1 / players^2.
    curvature = np.diag(weights.sum(axis=1)) - weights + 1.0
    halves = NORMAL_95 * np.sqrt(np.diag(np.linalg.inv(curvature)) - 1.0 / players**2)

    for player in range(players):
        for sign, end in ((-1.0, ends[0]), (1.0, ends[1])):
            fall = functools.partial(fallen, points, player)
            profile = optimize.brentq(lambda moved: fall(at[player] + moved) - NORMAL_95**2, 0.0, sign * 10.0)  # noqa: B023
            farther = sign * max(halves[player], sign * profile)
            assert math.isclose(end[player], ELO * (at[player] + farther), abs_tol=0.05)


def test_two_players_have_the_interval_of_their_score():
    elo, low, high = ratings(np.array([[0.0, 30.0], [10.0, 0.0]]))
    assert math.isclose(elo[0] - elo[1], 400.0 * math.log10(30.05 / 10.05), abs_tol=1e-6)
    least, most = (200.0 * math.log10(score / (1.0 - score)) for score in wilson(30.0, 40.0))
    assert np.allclose((low, high), ((least, -most), (most, -least)))
    pairs = Observed(1, 0, np.full(20, 2.0), np.repeat([0.0, 1.0, 2.0], [11, 8, 1]))  # from the other side
    low_score, high_score = Scores([1.0 - pairs.points / 2.0]).interval()
    least, most = (200.0 * math.log10(score / (1.0 - score)) for score in (low_score, high_score))
    assert np.allclose(ratings(np.array([[0.0, 30.0], [10.0, 0.0]]), [pairs])[1:], ((least, -most), (most, -least)))


def test_a_perfect_score_has_a_finite_rating_that_grows_with_the_games_and_an_interval_without_an_end():
    few, low, _ = ratings(np.array([[0.0, 10.0], [0.0, 0.0]]))
    many, above, high = ratings(np.array([[0.0, 10_000.0], [0.0, 0.0]]))
    assert 0 < few[0] < many[0] < 2_000
    assert 0 < low[0] < few[0] < above[0] < many[0]
    assert (above[1], high[0]) == (-np.inf, np.inf)
    assert np.isfinite((above[0], high[1])).all()


def fallen(points, player, strength):
    """Twice how far the log-likelihood falls, at its most, where this player has this strength and the mean is 0."""
    loss, best = direct_fit(points)
    others = [other for other in range(len(points)) if other != player]

    def with_others(free):
        strengths = np.empty(len(points))
        strengths[player], strengths[others[:-1]] = strength, free
        strengths[others[-1]] = -strength - np.sum(free)
        return loss(strengths)

    return 2.0 * (optimize.minimize(with_others, best[others[:-1]], method="BFGS").fun - loss(best))


GROUPS = [  # the points, and the players whose rating has a lower and an upper end
    ([[0, 5, 10, 10], [5, 0, 10, 10], [0, 0, 0, 5], [0, 0, 5, 0]], [1, 1, 0, 0], [0, 0, 1, 1]),
    ([[0, 20, 20], [0, 0, 12], [0, 8, 0]], [1, 0, 0], [0, 1, 1]),  # one who won everything
    ([[0, 12, 20], [8, 0, 20], [0, 0, 0]], [1, 1, 0], [0, 0, 1]),  # one who lost everything
    ([[0, 9, 9, 9], [0, 0, 5, 9], [0, 4, 0, 9], [0, 0, 0, 0]], [1, 0, 0, 0], [0, 0, 0, 1]),  # two between
    ([[0, 9, 0], [0, 0, 9], [9, 0, 0]], [1, 1, 1], [1, 1, 1]),  # in a circle: each took points from the next
    ([[0, 9.5, 9], [0.5, 0, 9], [0, 0.5, 0]], [1, 1, 1], [1, 1, 1]),  # two draws join all
]


@pytest.mark.parametrize(("points", "below", "above"), GROUPS)
def test_groups_that_won_every_game_against_the_rest_have_no_end_between_them(points, below, above):
    points = np.array(points, dtype=float)
    elo, low, high = ratings(points)
    assert np.array_equal(np.isfinite(low), np.array(below, dtype=bool))
    assert np.array_equal(np.isfinite(high), np.array(above, dtype=bool))
    assert np.all((low < elo) & (elo < high))
    for player in np.flatnonzero(np.isfinite(low) != np.isfinite(high)):
        end = low[player] if np.isfinite(low[player]) else high[player]
        assert math.isclose(fallen(points, player, end / ELO), -2.0 * math.log(0.025), rel_tol=1e-3)


def test_draws_make_the_intervals_narrower_and_opening_luck_wider():
    pairs = np.full(20, 2.0)
    points = np.full((3, 3), 20.0)
    players = ((0, 1), (0, 2), (1, 2))
    coins = ratings(points)[2]
    drawn = ratings(points, [Observed(*two, pairs, np.ones(20)) for two in players])[2]
    lucky = ratings(points, [Observed(*two, pairs, np.repeat([2.0, 0.0], 10)) for two in players])[2]
    assert np.all(drawn < 0.5 * coins)
    assert np.all(lucky > 1.3 * coins)
