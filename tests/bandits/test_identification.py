"""Best-arm identification: the right arm as often as promised, fewer rewards than a grid, intervals, mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from bandits import bernoulli_kl
from tests.internals import grid_draws, identify, kl_bounds, kl_lucb, paired_lucb, sequential_halving

EPSILON, DELTA, CURVES = 0.06, 0.05, 60


def curve(rng, values=18):
    """Expected scores of values of a parameter on seven octaves: a peak somewhere, falling on either side.

    The slopes an octave are those that were measured of UCT's c against flat Monte Carlo, 0.08 and 0.19, and about.
    """
    x, peak, top = np.linspace(-5.0, 2.0, values), rng.uniform(-3.0, 1.0), rng.uniform(0.5, 0.8)
    slopes, power = rng.uniform(0.05, 0.2, 2), rng.uniform(1.0, 2.0)
    return np.clip(top - np.where(x < peak, *slopes) * np.abs(x - peak) ** power, 0.02, 1.0)


@pytest.mark.long
def test_kl_lucb_is_as_sure_as_a_grid_with_a_fifth_of_its_rewards():
    rng, drawn, wrong, uncovered = np.random.default_rng(0), 0, 0, 0
    for _ in range(CURVES):
        means = curve(rng)
        found = identify(kl_lucb(means.size, EPSILON, DELTA), lambda arm, count, m=means: rng.binomial(count, m[arm]))
        assert found.sure
        drawn += int(found.counts.sum())
        wrong += bool(means[found.best] < means.max() - EPSILON)
        uncovered += bool(((means < found.low) | (means > found.high)).any())
    assert drawn / CURVES < 0.2 * 18 * grid_draws(18, EPSILON, DELTA)
    assert wrong <= DELTA * CURVES
    assert uncovered <= DELTA * CURVES


def together(rng, means, share):
    """Return a function that draws rewards of 0 and 1; of each number, a share of the luck is the same for all arms."""
    common, seen, level = rng.standard_normal(60_000), np.zeros(means.size, dtype=int), ndtri(means)

    def draw(arm, count):
        first = seen[arm]
        seen[arm] += count
        own = np.sqrt(share) * common[first : seen[arm]] + np.sqrt(1.0 - share) * rng.standard_normal(count)
        return (own < level[arm]).astype(float)

    return draw


def test_paired_rewards_tell_values_of_a_flat_curve_apart_with_a_sixth_of_a_grids():
    """Settings of UCT: the best keeps the value of 80 % of positions, an octave away 79 %, three octaves away 73 %."""
    octaves = np.log2(np.geomspace(0.1, 8.0, 18))
    means, epsilon, drawn, wrong = 0.8 - 0.012 * np.abs(octaves) ** 1.6, 0.04, 0, 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        found = identify(paired_lucb(18, epsilon, DELTA, 64), together(rng, means, 0.5))
        assert found.sure
        drawn += int(found.counts.sum())
        wrong += bool(means[found.best] < means.max() - epsilon)
    assert drawn / 20 < 0.16 * 18 * grid_draws(18, epsilon, DELTA)
    assert wrong <= 2


def test_bounds_are_where_the_divergence_is_the_distance():
    for mean in (0.0, 0.3, 0.9, 1.0):
        low, high = kl_bounds(mean, 0.07)
        assert low == 0.0 if mean == 0.0 else bernoulli_kl(mean, low) == pytest.approx(0.07)
        assert high == 1.0 if mean == 1.0 else bernoulli_kl(mean, high) == pytest.approx(0.07)


def test_sequential_halving_keeps_the_better_half_after_each_of_its_rounds():
    found = identify(sequential_halving(8, 48), lambda arm, count: count * (arm + 1) / 9.0)
    assert found.best == 7
    assert found.counts.tolist() == [2, 2, 2, 2, 6, 6, 14, 14]


def test_a_budget_ends_kl_lucb_unsure():
    found = identify(kl_lucb(2, 0.01, 0.05, most=100), lambda arm, count: count * 0.5)
    assert not found.sure
    assert 100 <= found.counts.sum() < 200


def test_a_step_draws_a_batch_or_a_third_of_what_its_arm_had():
    had, steps = [0, 0], []

    def draw(arm: int, count: int) -> float:
        steps.append((count, max(7, had[arm] // 3)))
        had[arm] += count
        return 0.5 * count

    identify(kl_lucb(2, 0.01, 0.05, batch=7, most=2_000), draw)
    assert [count for count, _ in steps] == [least for _, least in steps]
    assert steps[-1][0] > 100


@pytest.mark.parametrize(
    "plan",
    [
        lambda seed: kl_lucb(3, 0.01, 0.05, most=100, seed=seed),
        lambda seed: paired_lucb(3, 0.01, 0.05, most=100, seed=seed),
        lambda seed: sequential_halving(3, 60, seed=seed),
    ],
)
def test_each_of_three_equal_arms_is_picked_under_some_seed(plan):
    alike = np.tile([0.0, 1.0], 100)
    picked = [identify(plan(seed), lambda arm, count: alike[:count]).best for seed in range(60)]
    assert np.bincount(picked, minlength=3).min() >= 8  # of 20; fewer by chance in 1 of 2,000
