"""Regressions that are kept up to date reward by reward: against solvers and minimisers, on all rewards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize, special

from bandits.hooks import LearnRule
from bandits.regression.logistic import logistic_learn, surprise
from tests.internals import (
    COMPILED,
    SIGNATURES,
    kernel,
    regression_rows,
    ridge_learn,
    start_regressions,
    write_predictions,
    write_spreads,
)

pytestmark = pytest.mark.kernels

ARMS, RUNS = 3, 9  # a whole block of lanes, and one replication beyond it
Floats = Any


def memory_of(features: int, ridge: float) -> Floats:
    """The memory of a rule before its first reward."""
    memory = np.zeros((1 + features + ARMS * regression_rows(features), RUNS))
    memory[0] = features
    start_regressions(memory, ARMS, ridge)
    return memory


def compiled(rule: LearnRule) -> Any:
    return kernel(SIGNATURES["learn"])(rule.function)


def seen(memory: Floats) -> tuple[Floats, Floats]:
    """What the kernels say of the features in a memory: predictions and spreads, (K, L)."""
    predictions, spreads = np.full(ARMS * RUNS, np.nan), np.full(ARMS * RUNS, np.nan)
    write_predictions(memory, ARMS, predictions)
    write_spreads(memory, ARMS, spreads)
    return predictions.reshape(ARMS, RUNS), spreads.reshape(ARMS, RUNS)


def solved(inverted: Floats, sums: Floats, x: Floats) -> tuple[Floats, Floats]:
    """The same from A, (K, L, d, d), and b, (K, L, d), by a solver; x is (d, L)."""
    by_run = np.broadcast_to(x.T, sums.shape)
    theta = np.linalg.solve(inverted, sums[..., None])[..., 0]
    ratio = np.linalg.solve(inverted, by_run[..., None])[..., 0]
    return (theta * by_run).sum(-1), np.sqrt((ratio * by_run).sum(-1))


@pytest.mark.parametrize(
    ("features", "pulls", "ridge", "size", "error"),
    [
        (1, 50, 1.0, 1.0, 1e-12),
        (5, 100, 0.1, 1.0, 1e-12),
        (4, 100, 1e-3, 1e3, 1e-5),  # |x|^2 / ridge is 10^9: so many digits are lost
        pytest.param(20, 10_000, 1e-3, 1.0, 1e-9, marks=[pytest.mark.jit, pytest.mark.long]),
    ],
)
def test_a_ridge_regression_is_that_of_a_solver_after_many_rewards(features, pulls, ridge, size, error):
    rng, learn, memory = np.random.default_rng(features), compiled(ridge_learn), memory_of(features, ridge)
    inverted = np.tile(ridge * np.eye(features), (ARMS, RUNS, 1, 1))
    sums, runs = np.zeros((ARMS, RUNS, features)), np.arange(RUNS)
    for _ in range(pulls):
        x = rng.normal(size=(features, RUNS)) * size
        x[0] = size  # a constant, which goes together with what has a mean
        arm, reward = rng.integers(ARMS, size=RUNS), rng.normal(size=RUNS) + x[-1] / size
        memory[1 : 1 + features] = x
        learn(memory, arm, reward)
        inverted[arm, runs] += x.T[:, :, None] * x.T[:, None, :]
        sums[arm, runs] += reward[:, None] * x.T
    memory[1 : 1 + features] = rng.normal(size=(features, RUNS)) * size
    predictions, spreads = seen(memory)
    expected, ratio = solved(inverted, sums, memory[1 : 1 + features])
    assert predictions == pytest.approx(expected, rel=error, abs=error)
    assert spreads == pytest.approx(ratio, rel=error)


def test_replications_side_by_side_have_the_bits_of_one_at_a_time():
    rng, learn, memory = np.random.default_rng(2), compiled(ridge_learn), memory_of(4, 0.5)
    alone = [memory[:, r : r + 1].copy() for r in range(RUNS)]
    for _ in range(30):
        memory[1:5] = rng.normal(size=(4, RUNS))
        arm, reward = rng.integers(ARMS, size=RUNS), rng.normal(size=RUNS)
        learn(memory, arm, reward)
        for r, single in enumerate(alone):
            single[1:5] = memory[1:5, r : r + 1]
            learn(single, arm[r : r + 1].copy(), reward[r : r + 1].copy())
    predictions, spreads = seen(memory)
    for r, single in enumerate(alone):
        assert (single[:, 0] == memory[:, r]).all()
        out = np.zeros(ARMS)
        write_predictions(single, ARMS, out)
        assert (out == predictions[:, r]).all()
        write_spreads(single, ARMS, out)
        assert (out == spreads[:, r]).all()


def cost(theta: Floats, mean: Floats, precision: Floats, x: Floats, reward: float) -> float:
    """-log P(theta) after a reward, up to a constant."""
    off, margin = theta - mean, float(theta @ x)
    likelihood = reward * special.log_expit(margin) + (1.0 - reward) * special.log_expit(-margin)
    return float(0.5 * off @ precision @ off - likelihood)


def test_a_logistic_regression_moves_to_the_most_probable_theta_and_gains_its_curvature():
    features, rng, learn = 3, np.random.default_rng(7), compiled(logistic_learn)
    memory, arms = memory_of(features, 0.5), np.arange(RUNS) % ARMS
    means = np.zeros((RUNS, features))
    precisions = np.tile(0.5 * np.eye(features), (RUNS, 1, 1))
    for fractions in [False, True] * 5:
        x = rng.normal(size=(features, RUNS)) * 2.0
        memory[1 : 1 + features] = x
        reward = rng.random(RUNS) if fractions else rng.integers(2, size=RUNS).astype(float)
        learn(memory, arms, reward)
        for r in range(RUNS):
            given = (means[r].copy(), precisions[r], x[:, r], reward[r])
            means[r] = optimize.minimize(cost, means[r], given, method="BFGS", options={"gtol": 1e-9, "xrtol": 1e-12}).x
            p = special.expit(means[r] @ x[:, r])
            precisions[r] += p * (1.0 - p) * np.outer(x[:, r], x[:, r])
    predictions, spreads = seen(memory)
    for r in range(RUNS):
        now = memory[1 : 1 + features, r]
        assert predictions[arms[r], r] == pytest.approx(means[r] @ now, rel=1e-5, abs=1e-5)
        assert spreads[arms[r], r] == pytest.approx(np.sqrt(now @ np.linalg.solve(precisions[r], now)), rel=1e-5)


def test_the_step_of_a_logistic_regression_is_the_root_of_its_equation_even_far_out():
    find: Any = kernel("float64(float64, float64, float64)")(surprise.function if COMPILED else surprise)
    for reward in (0.0, 0.3, 1.0):
        for margin in (-800.0, -30.0, -1.0, 0.0, 2.0, 40.0, 900.0):
            for square in (0.0, 1e-6, 1.0, 50.0, 1e6):
                c = find(reward, margin, square)
                assert reward - 1.0 <= c <= reward
                exact = optimize.brentq(
                    lambda c, reward=reward, margin=margin, square=square: (
                        c - reward + special.expit(margin + c * square)
                    ),
                    reward - 1.0,
                    reward,
                    xtol=1e-16,
                    rtol=1e-15,
                )
                assert c == pytest.approx(exact, abs=1e-14)
