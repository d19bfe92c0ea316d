"""Bradley-Terry ratings against a direct fit, in closed form for two players, and by simulation."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from scipy import optimize

from numerics.statistics import Observed, Scores, wilson
from tests.internals import ELO, ratings

pytestmark = pytest.mark.jit  # how kernels run decides nothing here


def direct_fit(points):
    """Maximise the likelihood itself, each pair with 1/20 of a point more on either side; Elo with a mean of 0."""
    players = len(points)
    counted = np.asarray(points, dtype=float) + 0.05
    np.fill_diagonal(counted, 0.0)

    def loss(strengths):
        return (
            sum(
                counted[i, j] * math.log1p(math.exp(strengths[j] - strengths[i]))
                for i in range(players)
                for j in range(players)
                if i != j
            )
            + 0.5 * np.sum(strengths) ** 2
        )  # the mean, which the games leave open

    found = optimize.minimize(loss, np.zeros(players), method="BFGS", options={"gtol": 1e-8})
    return ELO * found.x, ELO * 1.959963984540054 * np.sqrt(np.diag(found.hess_inv)), loss, found.x


POINTS = [
    [[0, 12.5, 18], [7.5, 0, 14], [2, 6, 0]],
    [[0, 20, 20, 20], [0, 0, 20, 20], [0, 0, 0, 20], [0, 0, 0, 0]],  # everybody beats everybody below
    [[0, 30, 1], [10, 0, 25], [39, 5, 0]],  # in a circle
]


@pytest.mark.parametrize("points", POINTS)
def test_ratings_are_those_of_a_direct_fit(points):
    elo, *_ = ratings(np.array(points, dtype=float))
    expected, _, loss, best = direct_fit(points)
    assert np.allclose(elo, expected, atol=0.05)
    assert loss(elo / ELO) <= loss(best) + 1e-9
    assert abs(elo.mean()) < 1e-6


def test_each_end_is_the_farther_of_the_curvatures_and_the_profile_likelihoods():
    points = np.array(POINTS[0], dtype=float)
    elo, *ends = ratings(points)
    _, _, loss, _ = direct_fit(points)
    step, players = 1e-4, len(points)
    unit = np.eye(players) * step
    at = elo / ELO
    curvature = np.array(
        [
            [
                (loss(at + a + b) - loss(at + a - b) - loss(at - a + b) + loss(at - a - b)) / (4 * step * step)
                for b in unit
            ]
            for a in unit
        ]
    )
    # The loss fixes the mean by a spring of strength 1 on the sum: its share of the inverse is 1 / players^2.
    halves = 1.959963984540054 * np.sqrt(np.diag(np.linalg.inv(curvature)) - 1.0 / players**2)

    for player in range(players):
        for sign, end in ((-1.0, ends[0]), (1.0, ends[1])):
            fall = functools.partial(fallen, points, player)
            profile = optimize.brentq(lambda moved: fall(at[player] + moved) - 1.959963984540054**2, 0.0, sign * 10.0)  # noqa: B023
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
    _, _, loss, best = direct_fit(points)
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


def test_intervals_of_groups_three_thousand_points_apart_cover():
    """Of the two groups of two it was 3 to 10 %."""
    generator, truth, covered = np.random.default_rng(6), np.array([1500.0, 1440.0, -1440.0, -1500.0]), np.zeros(4)
    wins = 1.0 / (1.0 + 10.0 ** ((truth[None, :] - truth[:, None]) / 400.0))
    for _ in range(40):
        points = np.tril(generator.binomial(10, wins).astype(float), -1)
        points += np.triu(10.0 - points.T, 1)
        _, low, high = ratings(points)
        covered += (low <= truth) & (truth <= high)
    assert np.all(covered > 0.9 * 40)


def test_the_order_of_the_players_changes_nothing():
    points, order = np.array(POINTS[0], dtype=float), [2, 0, 1]
    elo, *ends = ratings(points)
    other, *other_ends = ratings(points[np.ix_(order, order)])
    assert np.allclose(other, elo[order], atol=1e-6)
    assert np.allclose(other_ends, np.array(ends)[:, order], atol=1e-6)


def test_draws_make_the_intervals_narrower_and_opening_luck_wider():
    pairs = np.full(20, 2.0)
    points = np.full((3, 3), 20.0)
    players = ((0, 1), (0, 2), (1, 2))
    coins = ratings(points)[2]
    drawn = ratings(points, [Observed(*two, pairs, np.ones(20)) for two in players])[2]
    lucky = ratings(points, [Observed(*two, pairs, np.repeat([2.0, 0.0], 10)) for two in players])[2]
    assert np.all(drawn < 0.5 * coins)
    assert np.all(lucky > 1.3 * coins)
