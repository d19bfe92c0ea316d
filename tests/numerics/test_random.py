"""Random streams against published outputs and naive twins, their independence, and draws against SciPy."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

from numerics.random import (
    Purpose,
    fill_uniforms,
    fill_words,
    next_beta,
    next_gamma,
    next_normal,
    next_uniform,
    normal_quantile,
    streams,
    unit,
)
from tests import naive
from tests.internals import kernel

pytestmark = pytest.mark.kernels


def test_the_naive_generator_gives_the_published_outputs_of_xoshiro256_plus_plus():
    rng = naive.Xoshiro([1, 2, 3, 4])  # the reference program of the generator's authors, run from this state
    published = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]
    assert [rng.word() for _ in published] == published


def test_the_naive_finaliser_gives_the_published_outputs_of_splitmix64():
    words = [naive.mix((1234567 + k * naive.GOLDEN) & naive.WORD) for k in range(1, 4)]
    assert words == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.parametrize(("seed", "purpose"), [(0, (3, 2)), (2**64 + 5, (0,))])
def test_streams_are_the_naive_ones(seed: int, purpose: tuple[int, ...]):
    first = 2**40
    made = streams(seed, purpose, first, 3)
    assert made.tolist() == [naive.stream(seed, purpose, first + index) for index in range(3)]


@pytest.mark.parametrize("count", [1, 19])
def test_the_compiled_generator_draws_as_the_naive_one_does(count: int):
    states = streams(3, (1,), 0, count)
    twins = [naive.Xoshiro(state) for state in states]
    rows, columns, others = states.copy(), states.T.flatten(), states.T.flatten()
    for draws in (1, 2, 20):
        drawn = np.empty(draws * count)
        fill_uniforms(columns, drawn)
        words = np.empty(draws * count, np.uint64)
        fill_words(others, words)
        assert (words / 2.0**53).tolist() == drawn.tolist()
        for row in drawn.reshape(draws, count):
            expected = [twin.uniform() for twin in twins]
            assert [next_uniform(rows, r) for r in range(count)] == expected
            assert row.tolist() == expected
    np.testing.assert_array_equal(rows, columns.reshape(4, count).T)
    assert rows.tolist() == [twin.s for twin in twins]


def test_purposes_differ_and_no_module_writes_one_as_a_number():
    assert len(set(Purpose)) == len(Purpose.__members__)
    root = Path(__file__).resolve().parents[2]
    calls = re.compile(r"\b(?:streams|derived_seed|streams_of)\([^()]*(?:\([^()]*\)[^()]*)*\(\d|\bstreams_of\(\w+, \d")
    for room in ("numerics", "bandits", "mcts", "connect4", "experiments", "benchmarks"):
        for file in (root / room).rglob("*.py"):
            assert not calls.search(file.read_text(encoding="utf-8")), file


def test_uniforms_of_words_lie_strictly_between_0_and_1():
    words = np.array([0, 1, 2**11, 2**63, 2**64 - 2**11, 2**64 - 1], dtype=np.uint64)
    values = unit(words)
    assert (values > 0.0).all()
    assert (values < 1.0).all()
    assert (np.diff(values) >= 0.0).all()


@pytest.mark.jit
def test_no_two_of_many_streams_of_any_purpose_or_seed_are_the_same():
    beginnings = [(0, (0,)), (0, (1,)), (0, (3, 0)), (0, (3, 1)), (1, (0,)), (2**32, (0,))]
    words = np.concatenate([streams(*given, 0, 20_000) for given in beginnings])
    for word in words.T:
        assert len(np.unique(word)) == len(words)


# --- laws ---


DRAWS = 50_000
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
    out = np.empty(DRAWS)
    draw(*parameters, streams(seed, (9,), 0, 1), out)
    return out


def test_normal_quantile_is_to_the_last_bit_the_same_algorithm_in_the_standard_library():
    p = np.random.default_rng(1).random(1_000)
    edges = [0.5, 0.075, 0.925, np.exp(-25.0), 2.0**-54, 1.0 - 2.0**-53, 1e-300]  # 0.075 and e^-25: where pieces meet
    p = np.concatenate([p, p**40, 1.0 - p**9, edges])
    p = p[(p > 0.0) & (p < 1.0)]
    assert [normal_quantile(x) for x in p] == [NormalDist().inv_cdf(float(x)) for x in p]


@pytest.mark.jit
def test_normals_follow_the_normal_law_and_successive_ones_are_independent():
    drawn = _sample(_normals)
    assert stats.kstest(drawn, "norm").pvalue > P_VALUE
    assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 4.5 / np.sqrt(DRAWS)
    assert abs(np.corrcoef(drawn[1:] ** 2, drawn[:-1] ** 2)[0, 1]) < 4.5 / np.sqrt(DRAWS)


@pytest.mark.jit
@pytest.mark.parametrize("shape", [0.01, 0.999, 1.7, 1e5])
def test_gammas_follow_the_gamma_law(shape: float):
    assert stats.kstest(_sample(_gammas, shape), stats.gamma(shape).cdf).pvalue > P_VALUE


BETAS = [(1.0, 7.5), (3.0, 1.0), (0.4, 1.0), (0.5, 0.5), (4.0, 0.7), (1.5, 1.2), (9_001.0, 1_001.0), (1.001, 1e6)]


@pytest.mark.sampled(3)
@pytest.mark.jit
@pytest.mark.parametrize(("a", "b"), BETAS)
def test_betas_follow_the_beta_law(a: float, b: float):
    drawn = _sample(_betas, a, b)
    law = stats.beta(a, b)
    assert stats.kstest(drawn, law.cdf).pvalue > P_VALUE
    # The test above is weak in the tails, where Thompson sampling explores: count beyond four quantiles.
    for chance in (1e-3, 1e-2):
        for beyond in ((drawn < law.ppf(chance)).sum(), (drawn > law.isf(chance)).sum()):
            assert stats.binomtest(int(beyond), DRAWS, chance).pvalue > P_VALUE / 10


@pytest.mark.jit
def test_betas_of_tiny_parameters_lie_at_the_ends_in_the_right_proportion():
    drawn = _sample(_betas, 3e-4, 1e-4)
    assert np.isfinite(drawn).all()
    assert ((drawn >= 0.0) & (drawn <= 1.0)).all()
    high = int((drawn > 0.5).sum())
    assert stats.binomtest(high, DRAWS, float(stats.beta(3e-4, 1e-4).sf(0.5))).pvalue > P_VALUE
