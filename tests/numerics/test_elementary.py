"""Logarithm and exponential of the kernels against those of libm."""

from __future__ import annotations

import numpy as np
import pytest

from numerics.kernels import elementary
from tests.internals import kernel

pytestmark = pytest.mark.kernels


@kernel("void(float64[::1], float64[::1], float64[::1])")
def both(x, logarithms, exponentials):
    for i in range(x.size):
        logarithms[i] = elementary.ln(x[i])
        exponentials[i] = elementary.exp(-x[i])


def test_logarithm_and_exponential_are_within_two_units_in_the_last_place():
    generator = np.random.default_rng(4)
    x = np.concatenate(
        [
            10.0 ** generator.uniform(-300, 300, 300),
            1.0 + generator.normal(0.0, 1e-4, 300),
            generator.uniform(0.5, 2.0, 300),
            generator.uniform(1.0, 699.0, 300),
            np.arange(1.0, 100.0),
            [1.0, 0.5, 2.0, 2.0**-1022, 1e308],
        ]
    )
    logarithms, exponentials = np.empty_like(x), np.empty_like(x)
    both(x, logarithms, exponentials)
    assert (np.abs(logarithms - np.log(x)) <= 2.0 * np.spacing(np.abs(np.log(x)))).all()
    expected = np.where(x < 700.0, np.exp(-x), 0.0)
    assert (np.abs(exponentials - expected) <= 2.0 * np.spacing(expected)).all()
    assert logarithms[x == 1.0].tolist() == [0.0] * (x == 1.0).sum()
