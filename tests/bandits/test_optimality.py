"""What is proved of policies: slopes of regret that Lai and Robbins allow, and bounds over all gaps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bandits import Arms, Bernoulli, Gaussian, make, simulate
from bandits.theory import lai_robbins_constant

LONG, RUNS = 1_000_000, 192
UNIT = ["thompson", "kl_ucb", "kl_ucb_plus", "kl_ucb_plus_plus", "kl_ucb_switch", "imed", "kl_ms"]
BERNOULLI = [Bernoulli([0.3, 0.2, 0.1]), Bernoulli([0.6, 0.3, 0.2])]
GAUSSIAN = [Gaussian([0.0, 0.5]), Gaussian([1.0, 0.5, 0.0])]
SLOPES = [
    *((make(name), arms) for name in UNIT for arms in BERNOULLI),
    *((make(name), arms) for name in ("asymptotic_ucb", "thompson_gaussian") for arms in GAUSSIAN),
    *((make("maillard", scale=1.0), arms) for arms in GAUSSIAN),
    (make("bayes_ucb"), BERNOULLI[0]),
]


@pytest.mark.jit
@pytest.mark.long
@pytest.mark.parametrize(("policy", "arms"), SLOPES, ids=[f"{policy}-{arms.describe()}" for policy, arms in SLOPES])
def test_regret_grows_at_last_as_lai_and_robbins_say(policy, arms: Arms):
    runs = 48 if policy.name == "bayes_ucb" else RUNS
    if "horizon" in policy.spec().rule.needs:
        first, last = (
            simulate(policy, arms, horizon, runs, seed=5, checkpoints=[1]).pseudo_regret
            for horizon in (LONG // 10, LONG)
        )
    else:
        first, last = simulate(policy, arms, LONG, runs, seed=5, checkpoints=[LONG // 10]).replications.pseudo_regret.T
    slopes = (last - first) / math.log(10.0) / lai_robbins_constant(arms)
    error = slopes.std(ddof=1) / math.sqrt(runs)
    assert error < 0.15
    # By its theorem 8.1 the regret of asymptotic_ucb has the slope 1.39 here still: ln f(t) = ln t + 2 ln ln t.
    highest = 1.55 if policy.name == "asymptotic_ucb" else 1.3
    assert 0.7 - 2.0 * error < slopes.mean() < highest + 2.0 * error


# Factors of sqrt(K T): Audibert and Bubeck 2009, theorem 5; Degenne and Perchet 2016, theorem 3; Menard and Garivier
# 2017, theorem 1; Garivier et al. 2022, theorem 1; Zimmert and Seldin 2021, theorem 1 (4 sqrt(K T) + 1).
MINIMAX = {"moss": 49.0, "moss_anytime": 113.0, "kl_ucb_plus_plus": 76.0, "kl_ucb_switch": 23.0, "tsallis_inf": 4.0}


@pytest.mark.jit
@pytest.mark.parametrize("name", MINIMAX)
def test_minimax_policies_stay_below_their_bound_for_every_gap(name: str):
    horizon, count = 4_000, 8
    worst = 0.0
    for gap in (0.01, 0.03, 0.06, 0.1, 0.2, 0.4):
        arms = Bernoulli([0.5 + gap] + [0.5] * (count - 1))
        worst = max(worst, simulate(make(name), arms, horizon, 40, seed=1).pseudo_regret.mean())
    root = math.sqrt(count * horizon)
    assert worst < MINIMAX[name] * root + count
    assert worst < 1.5 * root, "far below what is proved: their constants are near 1"
    assert worst > 0.1 * root, "no policy does better on all of them"


@pytest.mark.jit
@pytest.mark.parametrize("gamma", [0.05, 0.2])
def test_exp3_and_exp3_ix_stay_below_the_bounds_of_their_theorems(gamma: float):
    horizon, count = 4_000, 8
    for gap in (0.03, 0.1, 0.4):
        arms = Bernoulli([0.5] * (count - 1) + [0.5 + gap])
        regret = simulate(make("exp3", gamma=gamma), arms, horizon, 40, seed=1).pseudo_regret.mean()
        gain = horizon * (0.5 + gap)  # Auer et al. 2002, theorem 3.1
        assert regret < (math.e - 1.0) * gamma * gain + count * math.log(count) / gamma
        loose = simulate(make("exp3_ix"), arms, horizon, 40, seed=1).realised_regret
        most = 4.0 * math.sqrt(count * horizon * math.log(count)) + (
            2.0 * math.sqrt(count * horizon / math.log(count)) + 1.0
        ) * math.log(2.0 / 0.05)  # Neu 2015, corollary 1, with probability 0.95
        assert np.quantile(loose, 0.95) < most
