"""What is proved of policies: slopes of regret that Lai and Robbins allow, and bounds over all gaps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bandits import Arms, Bernoulli, Gaussian, Policy, make, simulate
from bandits.theory import lai_robbins_constant

pytestmark = pytest.mark.jit

LONG, RUNS = 100_000, 128
UNIT = ["thompson", "kl_ucb", "kl_ucb_plus", "kl_ucb_plus_plus", "kl_ucb_switch", "imed", "kl_ms", "bayes_ucb"]
BERNOULLI, GAUSSIAN = Bernoulli([0.6, 0.3, 0.2]), Gaussian([0.0, 0.5])
SLOPES = [
    *((make(name), BERNOULLI) for name in UNIT),
    (make("thompson_gaussian"), GAUSSIAN),
    (make("maillard", scale=1.0), GAUSSIAN),
]


def slope_of(policy: Policy, arms: Arms) -> tuple[float, float]:
    """The growth of regret from 10^4 to 10^5 pulls per ln T, over Lai and Robbins', and its standard error."""
    runs = RUNS // 4 if policy.name == "bayes_ucb" else RUNS
    if "horizon" in policy.spec().rule.needs:
        first, last = (
            simulate(policy, arms, horizon, runs, seed=5, checkpoints=[1]).pseudo_regret
            for horizon in (LONG // 10, LONG)
        )
    else:
        first, last = simulate(policy, arms, LONG, runs, seed=5, checkpoints=[LONG // 10]).replications.pseudo_regret.T
    slopes = (last - first) / math.log(10.0) / lai_robbins_constant(arms)
    return float(slopes.mean()), float(slopes.std(ddof=1) / math.sqrt(runs))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("policy", "arms"), SLOPES, ids=[str(policy) for policy, _ in SLOPES])
def test_regret_grows_at_last_as_lai_and_robbins_say(policy, arms: Arms):
    slope, error = slope_of(policy, arms)
    assert error < 0.15
    assert abs(slope - 1.0) < 0.3 + 2.0 * error


def asymptotic_ucb_regret(t: float) -> float:
    """Regret without noise: gap + sqrt(2 ln f(t) / t) = sqrt(2 ln f(t) / n_a), where the best arm has t pulls."""
    level = 2.0 * math.log(1.0 + t * math.log(t) ** 2)
    return 0.5 * level / (0.5 + math.sqrt(level / t)) ** 2


@pytest.mark.long
def test_regret_of_asymptotic_ucb_grows_as_its_indices_say_and_comes_late_to_its_limit():
    """At 10^5 pulls its slope is 1.66 times the limit, and below 1.3 from 6 x 10^6 on.

    Of that ln f(t) = ln t + 2 ln ln t has 0.2; the rest is the bonus of the best arm itself. Both vanish slowly.
    """

    def slope(t: float) -> float:
        growth = asymptotic_ucb_regret(t) - asymptotic_ucb_regret(t / 10.0)
        return growth / math.log(10.0) / lai_robbins_constant(GAUSSIAN)

    found, error = slope_of(make("asymptotic_ucb"), GAUSSIAN)
    assert error < 0.15
    assert abs(found - slope(LONG)) < 0.1 + 2.0 * error
    assert slope(6e6) < 1.3
    assert slope(1e300) == pytest.approx(1.0, abs=0.01)


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
