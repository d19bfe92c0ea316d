"""Confidence sequences: the same as plain betting, valid at all times, and of a width that is worth having."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from numerics.statistics import hedged_capital, wilson

pytestmark = pytest.mark.jit  # how kernels run decides nothing here

SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # of a pair of games


def _left(values: list[float], mean: float, block: int, planned: int | None) -> list[bool]:
    """Return after each observation whether a mean is left, by Waudby-Smith and Ramdas's formulas one by one."""
    kinds = 1 if planned is None else 2
    capitals, left, found = [[1 / kinds] * kinds, [1 / kinds] * kinds], True, []
    total, squares, variance = 0.5, 0.25, 0.25
    for t, x in enumerate(values, start=1):
        if (t - 1) % block == 0:
            after = t - 1 + block
            times = [after * math.log(after + 1), planned][:kinds]
            bets = [math.sqrt(2 * math.log(2 / 0.05) / (variance * time)) for time in times]
        for kind, bet in enumerate(bets):
            capitals[0][kind] *= 1 + min(bet, 0.75 / mean) * (x - mean)
            capitals[1][kind] *= 1 - min(bet, 0.75 / (1 - mean)) * (x - mean)
        total += x
        squares += (x - total / (t + 1)) ** 2
        if t % block == 0:
            left = left and max(map(sum, capitals)) < 2 / 0.05
            variance = squares / (t + 1)
        found.append(left)
    return found


@pytest.mark.parametrize(("block", "planned"), [(1, None), (1, 300), (7, 300), (7, None)])
def test_what_is_left_out_is_what_plain_bets_leave_out(block: int, planned: int | None) -> None:
    values = np.random.default_rng(3).choice(SCORES, 300, p=[0.1, 0.1, 0.3, 0.2, 0.3])
    low, high = hedged_capital(values, block=block, planned=planned)
    for mean in (0.002, 0.2, 0.45, 0.5, 0.55, 0.5943, 0.62, 0.66, 0.7, 0.75, 0.999):
        inside = (low < mean - 1e-9) & (mean + 1e-9 < high)
        assert inside.tolist() == _left(values.tolist(), mean, block, planned), mean


def test_the_sequence_of_the_first_observations_does_not_know_the_later_ones() -> None:
    values = np.random.default_rng(4).choice(SCORES, 500)
    low, high = hedged_capital(values, planned=500)
    for count in (1, 37, 300):
        first = hedged_capital(values[:count], planned=500)
        assert np.array_equal(first, [low[:count], high[:count]])
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) <= 0).all()
    mirrored = hedged_capital(1 - values, planned=500)
    assert np.allclose(mirrored, [1 - high, 1 - low])


@pytest.mark.long
def test_blocks_hold_the_mean_of_their_means() -> None:
    rng, runs = np.random.default_rng(6), 200
    means = np.array([0.0, 1.0, 0.9, 0.1, 0.6])
    missed = 0
    for _ in range(runs):
        low, high = hedged_capital((rng.random(200) < np.tile(means, 40)).astype(float), block=5)
        missed += not low[-1] <= means.mean() <= high[-1]
        assert low[3] == 0.0  # nothing is said amid a block
    assert missed / runs <= 0.05


def test_at_the_planned_number_it_is_a_third_wider_than_the_fixed_interval() -> None:
    values = np.random.default_rng(7).integers(0, 2, 2_000).astype(float)
    low, high = hedged_capital(values, planned=values.size)
    below, above = wilson(values.sum(), values.size)
    assert 1.0 < (high[-1] - low[-1]) / (above - below) < 1.6


def test_observations_that_do_not_vary_end_close_to_their_mean() -> None:
    low, high = hedged_capital(np.full(1_000, 0.5))
    assert low[-1] <= 0.5 <= high[-1]
    assert high[-1] - low[-1] < 0.02
    assert hedged_capital([])[0].size == 0


@pytest.mark.parametrize(
    ("values", "options", "sentence"),
    [
        ([0.5, 1.5], {}, "observations must lie in [0, 1]; got 1.5"),
        ([math.nan], {}, "observations must lie in [0, 1]; got nan"),
        ([0.5], {"level": 1.0}, "level must be above 0 and below 1; got 1.0"),
        ([0.5], {"block": 0}, "block must be a whole number of at least 1; got 0"),
        ([0.5], {"planned": -3}, "planned must be a whole number of at least 1; got -3"),
    ],
)
def test_what_is_no_sequence_of_observations_is_one_sentence(values: list[float], options: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        hedged_capital(values, **options)
