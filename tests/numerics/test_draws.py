"""Draws and quantiles against SciPy."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from scipy import special, stats

from numerics.random import next_beta, next_gamma, next_normal, normal_quantile, streams
from tests.internals import kernel

pytestmark = pytest.mark.kernels

COUNT = 100_000
P_VALUE = 1e-4


@kernel()
def _normals(rng, out):
    for i in range(out.size):
        out[i] = next_normal(rng, 0)


@kernel()
def _gammas(shape, rng, out):
    for i in range(out.size):
        out[i] = next_gamma(shape, rng, 0)


@kernel()
def _betas(a, b, rng, out):
    for i in range(out.size):
        out[i] = next_beta(a, b, rng, 0)


def _sample(draw, *parameters: float, seed: int = 0) -> np.ndarray:
    out = np.empty(COUNT)
    draw(*parameters, streams(seed, (9,), 0, 1), out)
    return out


def test_normal_quantile_is_as_in_scipy_to_1e_14_over_the_whole_range():
    p = np.concatenate(
        [
            np.linspace(0.001, 0.999, 999),
            10.0 ** np.linspace(-300.0, -3.0, 400),
            1.0 - 10.0 ** np.linspace(-15.0, -3.0, 200),
            [0.5, 0.075, 0.925, np.exp(-25.0), 2.0**-54, 1.0 - 2.0**-53],  # 0.075 and e^-25: where its pieces meet
        ]
    )
    ours = np.array([normal_quantile(x) for x in p])
    np.testing.assert_allclose(ours, special.ndtri(p), rtol=1e-14, atol=1e-15)


def test_normal_quantile_is_to_the_last_bit_the_same_algorithm_in_the_standard_library():
    p = np.random.default_rng(1).random(3_000)
    p = np.concatenate([p, p**40, 1.0 - p**9])
    p = p[(p > 0.0) & (p < 1.0)]
    assert [normal_quantile(x) for x in p] == [NormalDist().inv_cdf(float(x)) for x in p]


@pytest.mark.jit
def test_normals_follow_the_normal_law_and_successive_ones_are_independent():
    drawn = _sample(_normals)
    assert stats.kstest(drawn, "norm").pvalue > P_VALUE
    assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 4.5 / np.sqrt(COUNT)
    assert abs(np.corrcoef(drawn[1:] ** 2, drawn[:-1] ** 2)[0, 1]) < 4.5 / np.sqrt(COUNT)


@pytest.mark.jit
@pytest.mark.parametrize("shape", [0.01, 0.3, 0.999, 1.0, 1.7, 10.0, 1e5])
def test_gammas_follow_the_gamma_law(shape: float):
    assert stats.kstest(_sample(_gammas, shape), stats.gamma(shape).cdf).pvalue > P_VALUE


# fmt: off
BETAS = [
    (1.0, 1.0), (1.0, 7.5), (3.0, 1.0), (1.0, 0.2), (0.4, 1.0), (0.5, 0.5), (0.2, 3.0), (4.0, 0.7), (1.0001, 1.0001),
    (1.5, 1.2), (2.0, 2.0), (1.01, 500.0), (500.0, 1.5), (30.0, 70.0), (9_001.0, 1_001.0), (1e6, 2e6), (1.001, 1e6),
]
# fmt: on


@pytest.mark.sampled(4)
@pytest.mark.jit
@pytest.mark.parametrize(("a", "b"), BETAS)
def test_betas_follow_the_beta_law(a: float, b: float):
    drawn = _sample(_betas, a, b)
    law = stats.beta(a, b)
    assert stats.kstest(drawn, law.cdf).pvalue > P_VALUE
    # The test above is weak in the tails, where Thompson sampling explores: count beyond four quantiles.
    for chance in (1e-3, 1e-2):
        for beyond in ((drawn < law.ppf(chance)).sum(), (drawn > law.isf(chance)).sum()):
            assert stats.binomtest(int(beyond), COUNT, chance).pvalue > P_VALUE / 10


@pytest.mark.jit
def test_betas_of_tiny_parameters_lie_at_the_ends_in_the_right_proportion():
    drawn = _sample(_betas, 3e-4, 1e-4)
    assert np.isfinite(drawn).all()
    assert ((drawn >= 0.0) & (drawn <= 1.0)).all()
    high = int((drawn > 0.5).sum())
    assert stats.binomtest(high, COUNT, float(stats.beta(3e-4, 1e-4).sf(0.5))).pvalue > P_VALUE


def test_draws_differ_between_streams_and_repeat_within_one():
    first, again, other = (streams(0, (9,), index, 1) for index in (0, 0, 1))
    for draw in (lambda rng: next_beta(2.5, 4.0, rng, 0), lambda rng: next_normal(rng, 0)):
        one = draw(first)
        assert draw(again) == one
        assert draw(other) != one


def test_a_draw_advances_its_own_stream_and_no_other():
    rng = streams(0, (9,), 0, 3)
    before = rng.copy()
    next_gamma(0.5, rng, 1)
    assert (rng[1] != before[1]).any()
    np.testing.assert_array_equal(rng[[0, 2]], before[[0, 2]])
