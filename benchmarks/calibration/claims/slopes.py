"""Fitted slopes of regret against the horizon and against the number of arms."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from bandits.bounds import regret_bound
from bandits.policies.base import POLICIES
from benchmarks.calibration.claim import Claim, Outcome, family_of, interval
from benchmarks.calibration.claims.regret import SIZES, regrets_of
from experiments.kinds.scaling.slopes import ARMS, HORIZON, Point, fit_slopes, interval_of_slope, points

NUMBERS, HORIZONS, FIXED = [2, 4, 8, 16], [50, 100, 200, 400, 800], 200
GAP = 0.3


def _points(varied: str, gap: float) -> list[Point]:
    return [point for point in points(NUMBERS, [], HORIZONS, 2, gap, FIXED) if point.varied == varied]


@functools.lru_cache(maxsize=2)
def _law(policy: str, varied: str, gap: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the varied values, and the regret of many replications at each: float64[POOL, values]."""
    chosen = _points(varied, gap)
    columns = [regrets_of((policy,), point.arms, point.horizon)[:, 0] for point in chosen]
    return np.array([float(point.value) for point in chosen]), np.stack(columns, axis=1)


def slope(policy: str, varied: str, size: int, rng: np.random.Generator, gap: float = GAP) -> Outcome:
    """Simulate a run; the true slope is that of the same fit to the true means."""
    x, law = _law(policy, varied, gap)
    drawn = law[rng.integers(len(law), size=size)]
    reaches = [
        regret_bound(POLICIES.of(policy), point.arms, point.horizon, drawn[:, index])
        for index, point in enumerate(_points(varied, gap))
    ]
    low, high = interval_of_slope(x, drawn, varied, np.array(reaches))
    true, estimate = (float(fit_slopes(x, regrets.mean(axis=0)[None, :], varied)[0]) for regrets in (law, drawn))
    return interval(low, high, true, estimate)


def _family(size: int, rng: np.random.Generator, varied: str, policy: str, gap: float) -> Outcome:
    return slope(policy, varied, size, rng, gap)


CLAIMS = [
    Claim(
        f"slope of {policy} against {words}",
        "experiment=scaling",
        functools.partial(slope, policy, varied),
        family=family_of(_family, varied=[varied], policy=alike, gap=(0.1, GAP, 0.8)),
        family_sizes=SIZES,
        really=0.875 if "kl_ucb" in alike else None,  # of arms far apart: few replications add more than a pull
    )
    for policy, varied, words, alike in (
        ("ucb", ARMS, "the number of arms", ("ucb", "thompson")),
        ("thompson", HORIZON, "ln T", ("thompson",)),
        ("greedy", HORIZON, "ln T", ("greedy", "explore_then_commit explore=20")),
        ("ucb", HORIZON, "ln T", ("ucb", "kl_ucb")),
    )
]
