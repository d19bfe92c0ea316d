"""Regret and reward on standard problems against long simulations by other programs."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from bandits import Bernoulli, Linear, RandomGaussian, make, simulate
from tests.data import read

REFERENCE = read("reference_regret")
TEN, TESTBED = REFERENCE["linspace_01_09_10"], REFERENCE["testbed"]
RUNS = {
    "greedy": 6_000,
    "random": 2_000,
    "epsilon_greedy": 4_000,
    "ucb": 2_000,
    "moss": 2_000,
    "thompson": 600,
}  # others: 1000
PROBLEMS, CHUNK = 20_000, 5_000


def _label(row: dict) -> str:
    return f"{row['policy']}-{row['parameters']}"


@pytest.mark.sampled(2)
@pytest.mark.jit
@pytest.mark.parametrize("row", TEN["rows"], ids=_label)
def test_regret_on_ten_evenly_spaced_arms_is_within_four_standard_errors_of_the_reference(row: dict):
    policy = make(row["policy"], **row["parameters"])
    runs = RUNS.get(policy.name, 1_000)
    regret = simulate(policy, Bernoulli(np.linspace(0.1, 0.9, 10)), 10_000, runs, seed=1, checkpoints=[1]).pseudo_regret
    error = math.hypot(row["error"], regret.std(ddof=1) / math.sqrt(runs))
    assert abs(regret.mean() - row["mean"]) < 4.0 * error
    if policy.name not in ("greedy", "epsilon_greedy", "thompson"):  # rare disasters make those deviations unsteady
        assert regret.std(ddof=1) == pytest.approx(row["deviation"], rel=0.12)


def _problems(policy, checkpoints: list[int]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rewards and whether the best arm was pulled, at the checkpoints, a few thousand problems at a time."""
    for seed in range(PROBLEMS // CHUNK):
        played = simulate(policy, RandomGaussian(), 1_000, CHUNK, seed=seed, checkpoints=checkpoints).replications
        yield played.reward, played.optimal


@pytest.mark.sampled(1)
@pytest.mark.jit
@pytest.mark.parametrize("row", TESTBED["rows"], ids=_label)
def test_the_testbed_of_sutton_and_barto_gives_its_known_figures(row: dict):
    last = list(range(901, 1_001))
    parts = [
        (reward.mean(axis=1), best.mean(axis=1))
        for reward, best in _problems(make(row["policy"], **row["parameters"]), last)
    ]
    for column, name, rounding in ((0, "reward", 0.0005), (1, "optimal", 0.0005)):
        if row[name] is None:
            continue
        values = np.concatenate([part[column] for part in parts])  # one mean a problem: these are independent
        error = values.std(ddof=1) * math.sqrt(1.0 / PROBLEMS + 1.0 / TESTBED["problems"])
        assert error < 0.006, "the margin is a tight one"
        assert abs(values.mean() - row[name]) < 4.0 * error + rounding


@pytest.mark.long
@pytest.mark.jit
def test_ucb_has_its_spike_where_every_arm_has_been_pulled_once():
    parts = [reward for reward, _ in _problems(make("ucb", c=2.0), [10, 11, 12])]
    rewards = np.concatenate(parts)[:, :3]
    error = rewards.std(axis=0, ddof=1) * math.sqrt(1.0 / PROBLEMS + 1.0 / TESTBED["problems"])
    at_10, at_11, at_12 = rewards.mean(axis=0)
    assert abs(at_10) < 4.0 * error[0]  # the tenth arm, whatever it is: its mean has mean 0
    assert abs(at_11 - TESTBED["spike_of_ucb"]["11"]) < 4.0 * error[1] + 0.0005
    assert abs(at_12 - TESTBED["spike_of_ucb"]["12"]) < 4.0 * error[2] + 0.0005
    assert at_11 > at_12 + 0.1


@pytest.mark.jit
def test_regret_of_linucb_is_within_four_standard_errors_of_another_program():
    known, arms = read("linear_regret"), Linear(arms=4, features=3, constant=False, scale=0.3)
    regret = simulate(make("linucb", alpha=0.6), arms, 100, 5_000, seed=1, checkpoints=[1]).pseudo_regret
    error = math.hypot(known["error"], regret.std(ddof=1) / math.sqrt(regret.size))
    assert abs(regret.mean() - known["mean"]) < 4.0 * error
    assert regret.std(ddof=1) == pytest.approx(known["deviation"], rel=0.12)
