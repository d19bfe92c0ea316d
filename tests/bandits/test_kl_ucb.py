"""KL-UCB solves for one arm and bounds the others: held against bisection of every arm."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import special
from scipy.optimize import brentq

from bandits.policies import kl_ucb
from tests import naive
from tests.bandits.states import scores
from tests.bandits.test_indices import states
from tests.internals import kl_index

pytestmark = pytest.mark.kernels

MEANS = [0.0, 1e-9, 0.003, 0.1, 1.0 / 3.0, 0.5, 0.77, 0.99, 1.0 - 1e-6, 1.0]
LEVELS = [1e-8, 1e-6, 1e-4, 0.003, 0.02, 0.1, 0.5, 1.3, 4.0, 9.2, 30.0]


def _root(p: float, level: float) -> float:
    """The largest q with kl(p, q) <= level, to the last digits also where q - p or 1 - q is small."""
    if p == 0.0:
        return -math.expm1(-level)
    if p == 1.0:
        return 1.0

    def excess(d: float) -> float:
        return -p * math.log1p(d / p) - (1.0 - p) * math.log1p(-d / (1.0 - p)) - level

    end = (1.0 - p) * (1.0 - 1e-16)
    return p + brentq(excess, 0.0, end, xtol=1e-16, rtol=1e-15) if excess(end) > 0.0 else 1.0


@pytest.mark.sampled(62)
@pytest.mark.parametrize(("p", "level"), list(itertools.product(MEANS, LEVELS)))
def test_the_exact_solution_is_the_root_and_the_bound_lies_above_it(p: float, level: float):
    mean, budget = np.float64(p), np.float64(level)
    root = _root(p, level)
    bound = kl_index.kl_upper_bound(mean, budget)
    exact = kl_index.kl_upper(mean, budget, bound + kl_index.START_SLACK)
    rounding = 1e-12 + 1e-15 / max(root - p, 1e-9)  # kl is flat at p: its own rounding moves the root
    assert exact == pytest.approx(root, abs=rounding)
    assert bound >= exact - rounding
    assert p <= exact <= 1.0


@pytest.mark.parametrize("replications", [1, 7, 8, 9, 64, 67])
@pytest.mark.parametrize("arms", [1, 2, 5])
def test_the_highest_mean_is_found_with_its_lowest_arm(arms: int, replications: int):
    means = np.random.default_rng(arms).integers(0, 3, (arms, replications)).astype(float)
    top, first = np.empty(replications), np.empty(replications, np.int64)
    kl_index.highest_means(means.ravel(), top, first)
    np.testing.assert_array_equal(top, means.max(axis=0))
    np.testing.assert_array_equal(first, means.argmax(axis=0))


def test_the_bound_is_close_enough_to_spare_nearly_all_other_work():
    for p, n, t in itertools.product((0.05, 0.3, 0.6, 0.9), (20, 100, 1_000), (1e3, 1e5)):
        level = np.float64(math.log(t) / n)
        assert kl_index.kl_upper_bound(np.float64(p), level) - _root(p, level) < 2e-3


def test_the_gauss_constants_are_those_of_the_shifted_jacobi_rule():
    nodes, weights = special.roots_sh_jacobi(4, 2.0, 2.0)
    np.testing.assert_allclose(kl_index.NODES, nodes, rtol=1e-14)
    np.testing.assert_allclose(kl_index.WEIGHTS, weights, rtol=1e-13)
    for power in range(8):  # and so they integrate x * x^k over [0, 1] exactly for k up to 7
        total = sum(w * x**power for x, w in zip(kl_index.NODES, kl_index.WEIGHTS, strict=True))
        assert total == pytest.approx(1.0 / (power + 2.0), rel=1e-14)


def _assert_same_winners(arms: int, replications: int, t: float, c: float, seed: int) -> None:
    pulls, means = states(arms, replications, seed)
    out = scores(kl_ucb.kl_ucb, pulls, means, t, [c])
    expected = np.array(
        [[naive.kl_ucb(n, m, t, c) for n, m in zip(*row, strict=True)] for row in zip(pulls, means, strict=True)]
    )
    top = expected.max(axis=0)
    np.testing.assert_allclose(out.max(axis=0), top, atol=1e-11)
    np.testing.assert_array_equal(out == out.max(axis=0), expected >= top - 1e-12)
    solved = np.isfinite(out)
    np.testing.assert_allclose(out[solved], expected[solved], atol=1e-11)
    assert not np.isnan(out).any()


@pytest.mark.parametrize("arms", [1, 2, 3, 10])
@pytest.mark.parametrize(("t", "c"), [(1.0, 0.0), (2.0, 3.0), (40.0, 0.0), (5_000.0, 3.0), (1e6, 0.0)])
def test_the_winners_are_those_of_bisecting_every_arm(arms: int, t: float, c: float):
    _assert_same_winners(arms, 60, t, c, seed=arms)


@pytest.mark.sampled(1)
@pytest.mark.jit
@pytest.mark.parametrize("arms", [2, 5, 20])
def test_the_winners_of_thousands_of_states_are_those_of_bisecting_every_arm(arms: int):
    for number, t in enumerate((3.0, 100.0, 20_000.0)):
        _assert_same_winners(arms, 1_000, t, 0.0, seed=1_000 + number)
