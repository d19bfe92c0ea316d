"""Bradley-Terry ratings against a direct fit, in closed form for two players, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize

from experiments.statistics.ratings import ELO, ratings


def direct_fit(points):
    """Maximise the likelihood itself, each pair with half a point more on either side; Elo with a mean of 0."""
    players = len(points)
    counted = np.asarray(points, dtype=float) + 0.5
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
    assert math.isclose(elo[0] - elo[1], 400.0 * math.log10(30.5 / 10.5), abs_tol=1e-6)
    difference = ELO * 1.959963984540054 * math.sqrt(1.0 / 30.5 + 1.0 / 10.5)
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
