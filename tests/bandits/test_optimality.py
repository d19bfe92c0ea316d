"""Regret of long runs: what is proved of policies, what other programs find, and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from bandits import Arms, Bernoulli, ExploreThenCommit, Gaussian, Linear, Policy, RandomGaussian, make, simulate
from bandits.theory import lai_robbins_constant
from tests.data import read

pytestmark = pytest.mark.jit

LONG, RUNS = 100_000, 128
UNIT = ["thompson", "kl_ucb", "imed", "kl_ms", "bayes_ucb"]
BERNOULLI, GAUSSIAN = Bernoulli([0.6, 0.3, 0.2]), Gaussian([0.0, 0.5])
SLOPES = [
    *((make(name), BERNOULLI) for name in UNIT),
    (make("thompson_gaussian"), GAUSSIAN),
    (make("maillard", scale=1.0), GAUSSIAN),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("policy", "arms"), SLOPES, ids=[str(policy) for policy, _ in SLOPES])
def test_regret_grows_at_last_as_lai_and_robbins_say(policy: Policy, arms: Arms):
    """From 10^4 to 10^5 pulls, per ln T."""
    runs = RUNS // 4 if policy.name == "bayes_ucb" else RUNS
    first, last = simulate(policy, arms, LONG, runs, seed=5, checkpoints=[LONG // 10]).replications.pseudo_regret.T
    slopes = (last - first) / math.log(10.0) / lai_robbins_constant(arms)
    error = slopes.std(ddof=1) / math.sqrt(runs)
    assert error < 0.15
    assert abs(slopes.mean() - 1.0) < 0.3 + 2.0 * error


# Factors of sqrt(K T) that are proved: Audibert and Bubeck 2009; Degenne and Perchet 2016; Menard and Garivier 2017;
# Garivier, Hadiji, Menard and Stoltz 2022; Zimmert and Seldin 2021 (4 sqrt(K T) + 1).
MINIMAX = {"moss": 49.0, "moss_anytime": 113.0, "kl_ucb_plus_plus": 76.0, "kl_ucb_switch": 23.0, "tsallis_inf": 4.0}


@pytest.mark.parametrize("name", MINIMAX)
def test_minimax_policies_stay_below_their_bound_for_every_gap(name: str):
    """Gaps from half of sqrt(K / T) to eight times it: one arm is better than all others."""
    horizon, worst = 4_000, {}
    for count, centre in ((8, 0.5), (50, 0.05)):
        gaps = math.sqrt(count / horizon) * np.array([0.5, 1.0, 2.0, 4.0, 8.0])
        arms = [Bernoulli([centre + min(gap, 0.5)] + [centre] * (count - 1)) for gap in gaps]
        regrets = [simulate(make(name), one, horizon, 40, seed=1).pseudo_regret.mean() for one in arms]
        worst[count] = max(regrets) / math.sqrt(count * horizon)
    assert max(worst.values()) < min(MINIMAX[name], 2.0), "far below what is proved: their constants are near 1"
    assert worst[8] > 0.1, "no policy does better on all of them"


# ---------------------------------------------------------------- other programs and closed forms


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
