"""Thompson sampling leaves out draws that cannot win: held against the law of drawing every arm."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bandits import RandomBernoulli, simulate
from bandits.policies import thompson
from numerics.random import streams
from tests import naive
from tests.bandits.states import scores
from tests.internals import beta_tail, kernel

pytestmark = pytest.mark.kernels

COUNT = 20_000
P_VALUE = 1e-4


@kernel()
def _draws_above(a, b, x, rng, out):
    for i in range(out.size):
        out[i] = beta_tail.beta_above(a, b, x, True, rng, 0)


# fmt: off
LAWS = [
    (1.0, 1.0), (1.0, 60.0), (5.0, 1.0), (0.5, 0.5), (0.3, 8.0), (8.0, 0.3), (1.5, 1.2), (9.0, 2.0), (1.1, 40.0),
    (31.0, 71.0), (2.0, 5e4), (4e5, 6e5),
]
# fmt: on
CLOSE = [(2.0, 2.0, 0.9999), (1.0, 2.0, 0.999), (30.0, 2.0, 1.0 - 1e-4), (0.5, 0.5, 1.0 - 1e-6)]  # to 1
FAR = [(a, b, float(stats.beta(a, b).isf(1e-4))) for a, b in LAWS if b >= 1.0]  # else the threshold rounds to 1
NEXT = [  # to the mode, where one envelope takes over from the other: n x - k there
    (a, b, (a - 1.0 + beyond) / (a + b - 2.0))
    for a, b in [(31.0, 2.0), (60.0, 3.0), (2.0, 2.0)]
    for beyond in (-0.02, 0.0, 0.02, 0.06)
]
ANY = [(a, b, float(stats.beta(a, b).isf(chance))) for a, b in LAWS for chance in (0.999, 0.6, 0.3, 0.05, 0.002)]


@pytest.mark.sampled(20)
@pytest.mark.jit
@pytest.mark.parametrize(("a", "b", "x"), [*ANY, *NEXT, *CLOSE, *FAR])
def test_draws_above_a_threshold_come_as_often_and_as_high_as_those_of_the_beta_law(a: float, b: float, x: float):
    law = stats.beta(a, b)
    mass = float(law.sf(x))
    out = np.empty(COUNT if mass > 1e-3 else 15 * COUNT)
    _draws_above(a, b, x, streams(11, (9,), 0, 1), out)
    above = out[out > x]
    assert stats.binomtest(above.size, out.size, mass).pvalue > P_VALUE
    if above.size:
        assert stats.kstest(above, lambda y: 1.0 - law.sf(y) / mass).pvalue > P_VALUE


@pytest.mark.jit
def test_nothing_is_drawn_where_the_beta_law_has_no_mass_that_a_uniform_could_meet():
    for a, b, x in [(1.0, 90.0, 0.6), (50.0, 5_000.0, 0.2), (2.0, 2.0, 1.0), (1.0, 1.0, 1.0)]:
        assert stats.beta(a, b).sf(x) < 2.0**-53
        out = np.empty(COUNT)
        _draws_above(a, b, x, streams(13, (9,), 0, 1), out)
        assert not (out > x).any()
        assert not np.isnan(out).any()


# pulls, means, alpha, beta
STATES = [
    ([0, 0, 0], [0.0, 0.0, 0.0], 1.0, 1.0),
    ([5, 0], [0.8, 0.0], 1.0, 1.0),
    ([3, 3, 3], [1.0, 1.0, 0.0], 1.0, 1.0),
    ([10, 20, 40, 5], [0.5, 0.45, 0.6, 0.2], 1.0, 1.0),
    ([300, 30, 8], [0.5, 0.4, 0.25], 1.0, 1.0),
    ([5_000, 60, 40], [0.9, 0.8, 0.75], 1.0, 1.0),
    ([4, 6, 0], [0.25, 0.5, 0.0], 0.5, 0.5),
    ([50, 12], [0.9, 0.75], 4.0, 2.0),
    ([7, 9], [3.5 / 7.0, 4.2 / 9.0], 1.0, 1.0),
]


@pytest.mark.sampled(2)
@pytest.mark.jit
@pytest.mark.parametrize(("pulls", "means", "alpha", "beta"), STATES, ids=str)
def test_arms_win_as_often_and_as_high_as_when_every_arm_is_drawn(pulls, means, alpha: float, beta: float):
    replications = 15_000
    pulls, means = np.array(pulls, dtype=float), np.array(means)
    a, b = alpha + pulls * means, beta + pulls * (1.0 - means)
    out = scores(
        thompson.thompson,
        np.tile(pulls[:, None], replications),
        np.tile(means[:, None], replications),
        pulls.sum() + 1.0,
        [alpha, beta],
        seed=31,
    )
    laws = [stats.beta(*law) for law in zip(a, b, strict=True)]
    chances = np.array(naive.highest_of(laws))
    counts = np.bincount(out.argmax(axis=0), minlength=len(pulls))
    seen, expected = _merged(counts, chances / chances.sum() * replications)
    assert stats.chisquare(seen, expected).pvalue > P_VALUE

    def largest(x: np.ndarray) -> np.ndarray:
        return np.prod([law.cdf(x) for law in laws], axis=0)

    assert stats.kstest(out.max(axis=0), largest).pvalue > P_VALUE


@pytest.mark.jit
def test_so_they_do_among_more_arms_than_one_uniform_stands_for():
    replications = 6_000
    states = [(0, 0), (1, 1), (1, 0), (3, 3), (20, 12), (2, 1), (40, 32)] * 19
    pulls, gained = (np.array(values, dtype=float) for values in zip(*states, strict=True))
    means = np.divide(gained, pulls, out=np.zeros_like(pulls), where=pulls > 0)
    out = scores(
        thompson.thompson,
        np.repeat(pulls[:, None], replications, axis=1),
        np.repeat(means[:, None], replications, axis=1),
        pulls.sum() + 1.0,
        [1.0, 1.0],
        seed=4,
    )
    x = np.linspace(0.0, 1.0, 100_001)[1:, None]
    law = stats.beta(1.0 + gained[:7], 1.0 + pulls[:7] - gained[:7])
    below = law.cdf(x) ** 19  # all arms of a kind
    chances = np.trapezoid(19.0 * law.pdf(x) / law.cdf(x) * np.prod(below, axis=1, keepdims=True), x, axis=0)
    assert chances.sum() == pytest.approx(1.0, abs=1e-4)
    arm = out.argmax(axis=0)
    seen, expected = _merged(np.bincount(arm % 7, minlength=7), chances / chances.sum() * replications)
    assert stats.chisquare(seen, expected).pvalue > P_VALUE
    best_kind = arm[arm % 7 == chances.argmax()] // 7  # of equal arms each wins as often, in whichever chunk it is
    assert stats.chisquare(np.bincount(best_kind, minlength=19)).pvalue > P_VALUE
    assert stats.kstest(out.max(axis=0), np.interp, args=(x[:, 0], np.prod(below, axis=1))).pvalue > P_VALUE


def test_the_block_changes_nothing_among_many_arms():
    one, other = (simulate("thompson", RandomBernoulli(70), 75, 4, block=size).pulls for size in (None, 3))
    np.testing.assert_array_equal(one, other)


def _merged(counts: np.ndarray, expected: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Put the cells that expect fewer than five into the largest one."""
    rare = expected < 5.0
    kept, hoped = counts[~rare].astype(float), expected[~rare]
    kept[hoped.argmax()] += counts[rare].sum()
    hoped[hoped.argmax()] += expected[rare].sum()
    return kept, hoped
