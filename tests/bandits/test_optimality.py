"""What is proved of policies: slopes of regret that Lai and Robbins allow, and bounds over all gaps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bandits import Arms, Bernoulli, Gaussian, Policy, make, simulate
from bandits.theory import lai_robbins_constant

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
