"""The logarithm that kernels compute by arithmetic, held against the C library's."""

from __future__ import annotations

import math

import numpy as np
import pytest

from numerics.kernels.jit import kernel
from numerics.kernels.logarithm import natural_log


@kernel()
def _fill(numbers, out):
    for i in range(numbers.size):
        out[i] = natural_log(numbers[i])


def _spread(low: float, high: float, seed: int) -> np.ndarray:
    return np.exp(np.random.default_rng(seed).uniform(low, high, 2_000))


@pytest.mark.parametrize(
    "numbers",
    [
        _spread(-708.0, 709.0, 0),
        _spread(-1.0, 1.0, 1),
        1.0 + np.random.default_rng(2).uniform(-1e-6, 1e-6, 2_000),
        np.nextafter(math.sqrt(0.5), [0.0, 1.0]),
        np.ldexp(1.0, np.arange(-1022, 1024)),
        np.array([np.finfo(float).tiny, np.finfo(float).max]),
    ],
    ids=["all powers", "around 1", "close to 1", "where the power changes", "powers of 2", "ends"],
)
def test_the_logarithm_is_right_to_the_last_place(numbers: np.ndarray):
    out, expected = np.empty(numbers.size), np.array([math.log(x) for x in numbers])
    _fill(numbers, out)
    assert (np.abs(out - expected) <= np.spacing(np.abs(expected))).all()


def test_the_logarithm_of_1_is_0():
    assert natural_log(1.0) == 0.0
