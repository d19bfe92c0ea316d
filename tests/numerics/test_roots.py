"""Roots are those of SciPy's `brentq`, to the last bit."""

from __future__ import annotations

import math

import pytest
from scipy.optimize import brentq

from numerics.statistics import root_between

pytestmark = pytest.mark.jit


@pytest.mark.parametrize("within", [1e-2, 1e-9, 2e-12])
@pytest.mark.parametrize(
    ("function", "low", "high"),
    [
        (lambda x: x * x - 2.0, 0.0, 2.0),
        (lambda x: math.exp(x) - 5.0, -36.0, 12.0),
        (lambda x: math.atan(x - 0.3), -1e3, 1e4),
        (lambda x: x**3 - 1.0, -3.0, 2.5),
        (lambda x: 1.0 if x > 0.123 else -1.0, -1.0, 1.0),
        (lambda x: math.cos(x) - x, 2.0, -2.0),
        (lambda x: x, 0.0, 1.0),
        (lambda x: x - 1.0, 0.0, 1.0),
    ],
)
def test_a_root_is_scipys_to_the_last_bit(function, low, high, within):
    assert root_between(function, low, high, within) == brentq(function, low, high, xtol=within)


def test_equal_signs_at_both_ends_are_refused():
    with pytest.raises(ValueError, match=r"different signs at low=1\.0 and high=2\.0"):
        root_between(lambda x: x, 1.0, 2.0, 1e-9)
