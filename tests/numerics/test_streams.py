"""Random streams: the generator and the seeding against published outputs and naive twins, and their independence."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from numerics.random import Purpose, fill_uniforms, fill_words, next_uniform, streams, unit
from tests import naive

pytestmark = pytest.mark.kernels

COUNT = 100_000
PURPOSES = [(0,), (1,), (2,), (3, 0), (3, 1), (0, 1)]


def test_the_naive_generator_gives_the_published_outputs_of_xoshiro256_plus_plus():
    rng = naive.Xoshiro([1, 2, 3, 4])  # the reference program of the generator's authors, run from this state
    assert [rng.word() for _ in range(5)] == [
        41943041,
        58720359,
        3588806011781223,
        3591011842654386,
        9228616714210784205,
    ]


def test_the_naive_finaliser_gives_the_published_outputs_of_splitmix64():
    words = [naive.mix((1234567 + k * naive.GOLDEN) & naive.WORD) for k in range(1, 6)]
    assert words == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@pytest.mark.parametrize("seed", [0, 1, 2**64 + 5])
@pytest.mark.parametrize("purpose", [(0,), (3, 2)])
def test_streams_are_the_naive_ones(seed: int, purpose: tuple[int, ...]):
    first = 2**40
    made = streams(seed, purpose, first, 3)
    assert made.tolist() == [naive.stream(seed, purpose, first + index) for index in range(3)]


def test_a_stream_is_the_same_whichever_others_are_made_with_it():
    whole = streams(5, (1,), 0, 50)
    for first, count in ((0, 1), (7, 20), (49, 1)):
        np.testing.assert_array_equal(streams(5, (1,), first, count), whole[first : first + count])


@pytest.mark.parametrize("count", [1, 4, 8, 19])
def test_the_compiled_generator_draws_as_the_naive_one_does(count: int):
    states = streams(3, (1,), 0, count)
    twins = [naive.Xoshiro(state) for state in states]
    rows, columns, others = states.copy(), states.T.flatten(), states.T.flatten()
    for draws in (1, 2, 5, 50):
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


@pytest.mark.long
@pytest.mark.jit
def test_no_two_of_a_hundred_thousand_streams_of_any_purpose_or_seed_are_the_same():
    states = [streams(0, purpose, 0, COUNT) for purpose in PURPOSES]
    states += [streams(1, (0,), 0, COUNT), streams(2**32, (0,), 0, COUNT)]
    for state in states:
        for word in range(4):
            assert len(np.unique(state[:, word])) == COUNT
    everything = np.concatenate(states)
    assert len(np.unique(everything, axis=0)) == len(everything)
    assert everything.any(axis=1).all(), "xoshiro never leaves the state of four zeros"


@pytest.mark.long
def test_neighbouring_streams_and_purposes_are_uniform_and_uncorrelated():
    drawn = {}
    for purpose in PURPOSES:
        state = np.ascontiguousarray(streams(0, purpose, 0, COUNT).T)
        uniforms = np.empty((3, COUNT))
        for row in uniforms:
            _fill(state, row)
        drawn[purpose] = uniforms
        for row in uniforms:
            assert stats.kstest(row, "uniform").pvalue > 1e-4
        _assert_unrelated(uniforms[0, :-1], uniforms[0, 1:])  # index i and i + 1
        _assert_unrelated(uniforms[0], uniforms[1])  # draw 1 and 2 of the same stream
        _assert_unrelated(uniforms[0, :-1], uniforms[1, 1:])
    for one in PURPOSES:
        for other in PURPOSES:
            if one < other:
                _assert_unrelated(drawn[one][0], drawn[other][0])
    different_seed = np.empty(COUNT)
    _fill(np.ascontiguousarray(streams(1, (0,), 0, COUNT).T), different_seed)
    _assert_unrelated(drawn[(0,)][0], different_seed)


def _fill(state: np.ndarray, out: np.ndarray) -> None:
    """Draw one uniform from every stream with NumPy: the same arithmetic on whole rows, in any lane."""
    total = state[0] + state[3]
    word = ((total << np.uint64(23)) | (total >> np.uint64(41))) + state[0]
    out[:] = (word >> np.uint64(11)) / 2.0**53
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << np.uint64(45)) | (state[3] >> np.uint64(19))


def _assert_unrelated(x: np.ndarray, y: np.ndarray) -> None:
    """Correlation within 4.5 standard errors of 0, and a 16 x 16 table of both that a chi-square test accepts."""
    assert abs(np.corrcoef(x, y)[0, 1]) < 4.5 / np.sqrt(x.size)
    table = np.histogram2d(x, y, bins=16, range=((0, 1), (0, 1)))[0]
    assert stats.chisquare(table.ravel()).pvalue > 1e-5
