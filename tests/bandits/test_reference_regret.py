"""Regret and reward on standard problems against long simulations by other programs, and against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from bandits import Bernoulli, ExploreThenCommit, Gaussian, Linear, RandomGaussian, make, simulate
from tests.data import read

pytestmark = pytest.mark.jit

REFERENCE = read("reference_regret")
TEN, TESTBED = REFERENCE["linspace_01_09_10"], REFERENCE["testbed"]


def _label(row: dict) -> str:
    return f"{row['policy']}-{row['parameters']}"


def assert_like(regret: np.ndarray, known: dict) -> None:
    """Hold the mean of independent regrets against a published one and its standard error."""
    error = math.hypot(known["error"], regret.std(ddof=1) / math.sqrt(regret.size))
    assert abs(regret.mean() - known["mean"]) < 5.0 * error


@pytest.mark.sampled(2)
@pytest.mark.parametrize("row", TEN["rows"], ids=_label)
def test_regret_on_ten_evenly_spaced_arms_is_within_five_standard_errors_of_the_reference(row: dict):
    policy = make(row["policy"], **row["parameters"])
    regret = simulate(
        policy, Bernoulli(np.linspace(0.1, 0.9, 10)), 10_000, 1_000, seed=1, checkpoints=[1]
    ).pseudo_regret
    assert_like(regret, row)
    if policy.name not in ("greedy", "epsilon_greedy", "thompson"):  # rare disasters make those deviations unsteady
        assert regret.std(ddof=1) == pytest.approx(row["deviation"], rel=0.12)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("row", TESTBED["rows"], ids=_label)
def test_the_testbed_of_sutton_and_barto_gives_its_known_figures(row: dict):
    policy, problems = make(row["policy"], **row["parameters"]), 4_000
    played = simulate(policy, RandomGaussian(), 1_000, problems, checkpoints=range(901, 1_001)).replications
    for name, values in (("reward", played.reward), ("optimal", played.optimal)):
        if row[name] is not None:
            means = values[:, -100:].mean(axis=1)  # one mean a problem: these are independent
            error = means.std(ddof=1) * math.sqrt(1.0 / problems + 1.0 / TESTBED["problems"])
            assert abs(means.mean() - row[name]) < 5.0 * error + 0.0005


def test_regret_of_linucb_is_within_five_standard_errors_of_another_program():
    known, arms = read("linear_regret"), Linear(arms=4, features=3, constant=False, scale=0.3)
    regret = simulate(make("linucb", alpha=0.6), arms, 100, 2_000, seed=1, checkpoints=[1]).pseudo_regret
    assert_like(regret, known)
    assert regret.std(ddof=1) == pytest.approx(known["deviation"], rel=0.12)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("row", read("exact_regret")["explore_then_commit"]["rows"], ids=str)
def test_explore_then_commit_has_the_regret_of_its_closed_form(row: dict):
    gap, each, horizon = row["gap"], row["explore"], 1_000
    exact = each * gap + (horizon - 2 * each) * gap * stats.norm.cdf(-gap * math.sqrt(each / 2))
    assert exact == pytest.approx(row["pseudo_regret"], abs=1e-6)
    result = simulate(ExploreThenCommit(explore=each), Gaussian([10.0, 10.0 + gap]), horizon, 2_000, seed=each)
    for regret in (result.pseudo_regret, result.realised_regret):
        assert_like(regret, {"mean": exact, "error": 0.0})
    kept = np.sort(result.pulls, axis=1)
    assert (kept == [each, horizon - each]).all(), "it commits to one arm after the same pulls of each"
