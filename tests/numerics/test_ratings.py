"""Bradley-Terry ratings against a direct fit, in closed form for two players, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize

from numerics.statistics.ratings import ELO, Observed, ratings

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
    elo, _ = ratings(np.array(points, dtype=float))
    expected, _, loss, best = direct_fit(points)
    assert np.allclose(elo, expected, atol=0.05)
    assert loss(elo / ELO) <= loss(best) + 1e-9
    assert abs(elo.mean()) < 1e-6


def test_intervals_come_from_the_curvature_of_the_likelihood():
    points = np.array(POINTS[0], dtype=float)
    elo, half = ratings(points)
    _, _, loss, _ = direct_fit(points)
    step, players = 1e-4, len(points)
    unit = np.eye(players) * step
    curvature = np.array(
        [
            [
                (loss(at + a + b) - loss(at + a - b) - loss(at - a + b) + loss(at - a - b)) / (4 * step * step)
                for b in unit
            ]
            for at in [elo / ELO]
            for a in unit
        ]
    )
    # The loss fixes the mean by a spring of strength 1 on the sum: its share of the inverse is 1 / players^2.
    variances = np.diag(np.linalg.inv(curvature)) - 1.0 / players**2
    assert np.allclose(half, ELO * 1.959963984540054 * np.sqrt(variances), rtol=1e-3)


def test_two_players_have_the_closed_form():
    elo, half = ratings(np.array([[0.0, 30.0], [10.0, 0.0]]))
    assert math.isclose(elo[0] - elo[1], 400.0 * math.log10(30.05 / 10.05), abs_tol=1e-6)
    difference = ELO * 1.959963984540054 * math.sqrt(1.0 / 30.05 + 1.0 / 10.05)
    assert np.allclose(half, difference / 2.0)


def test_a_perfect_score_stays_finite_and_grows_with_the_games():
    few, _ = ratings(np.array([[0.0, 10.0], [0.0, 0.0]]))
    many, half = ratings(np.array([[0.0, 10_000.0], [0.0, 0.0]]))
    assert 0 < few[0] < many[0] < 2_000
    assert np.all(np.isfinite(half))


def test_the_order_of_the_players_changes_nothing():
    points, order = np.array(POINTS[0], dtype=float), [2, 0, 1]
    elo, half = ratings(points)
    other, other_half = ratings(points[np.ix_(order, order)])
    assert np.allclose(other, elo[order], atol=1e-6)
    assert np.allclose(other_half, half[order], atol=1e-6)


def test_intervals_cover_the_true_ratings_as_often_as_they_say():
    generator = np.random.default_rng(1952)
    truth = np.array([200.0, 60.0, 0.0, -260.0])
    wins = 1.0 / (1.0 + 10.0 ** ((truth[None, :] - truth[:, None]) / 400.0))
    covered, repeats = np.zeros(4), 600
    for _ in range(repeats):
        points = np.zeros((4, 4))
        for i in range(4):
            for j in range(i):
                points[i, j] = generator.binomial(40, wins[i, j])
                points[j, i] = 40 - points[i, j]
        elo, half = ratings(points)
        covered += np.abs(elo - truth) <= half
    assert np.all(covered / repeats > 0.915)  # 0.95 less 4 standard errors
    assert np.all(covered / repeats < 0.985)


def played(generator, truth, games, drawn):
    """Points and observations of games in pairs, a share of which is drawn as far as the expected score allows."""
    points, observed = np.zeros((truth.size, truth.size)), []
    for i in range(truth.size):
        for j in range(i):
            expected = 1.0 / (1.0 + 10.0 ** ((truth[j] - truth[i]) / 400.0))
            draw = min(drawn, 1.8 * min(expected, 1.0 - expected))
            won = expected - draw / 2.0
            found = generator.choice([1.0, 0.5, 0.0], (games // 2, 2), p=[won, draw, 1.0 - won - draw]).sum(axis=1)
            points[i, j], points[j, i] = found.sum(), games - found.sum()
            observed.append(Observed(i, j, np.full(found.size, 2.0), found))
    return points, observed


@pytest.mark.parametrize(("games", "drawn"), [(6, 0.0), (20, 0.0), (20, 0.6)])
def test_intervals_of_players_far_apart_cover_and_no_rating_is_pulled_to_the_middle(games, drawn):
    generator = np.random.default_rng(7)
    truth = np.array([-700.0, -350.0, -100.0, 150.0, 400.0, 600.0])
    covered, bias, repeats = np.zeros(6), np.zeros(6), 150
    for _ in range(repeats):
        elo, half = ratings(*played(generator, truth, games, drawn))
        covered += np.abs(elo - truth) <= half
        bias += (elo - truth) / repeats
    assert 0.92 < covered.mean() / repeats < 0.99
    assert np.abs(bias).max() < 90.0  # with a whole drawn game added it was 299 of 6 games, 137 of 20


def test_draws_make_the_intervals_narrower_and_opening_luck_wider():
    pairs = np.full(20, 2.0)
    points = np.array([[0.0, 20.0], [20.0, 0.0]])
    coins = ratings(points)[1]
    drawn = ratings(points, [Observed(0, 1, pairs, np.ones(20))])[1]
    lucky = ratings(points, [Observed(0, 1, pairs, np.repeat([2.0, 0.0], 10))])[1]
    assert np.all(drawn < 0.5 * coins)
    assert np.all(lucky > 1.3 * coins)
