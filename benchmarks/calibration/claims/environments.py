"""Games in PettingZoo and here: the difference of the scores, its test, and the tests of several pairs.

A pair of players plays the same games in both: a share of them ends alike, the others as if played anew.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.claim import Claim, Outcome, family_of, interval
from benchmarks.calibration.claims.games import drawn_results
from experiments.kinds.environments.both_places import compare_pairs

LEVEL = 0.05
ALIKE = 0.5  # share of games that end alike
_PAIRS, _DIFFERENT = 6, 2  # pairs of players; pairs whose scores differ
_APART = 0.2  # by how much they differ

Floats = npt.NDArray[np.float64]


def points(size: int, rng: np.random.Generator, native: float, there: float, draws: float | None = None) -> Floats:
    """Return the differences of points, there minus here, in `size` games with these expected scores."""
    draws = rng.choice([0.0, 0.3]) if draws is None else draws
    here = drawn_results(rng, np.full(size, native), draws)
    anew = drawn_results(rng, np.full(size, (there - ALIKE * native) / (1.0 - ALIKE)), draws)
    difference: Floats = np.where(rng.random(size) < ALIKE, 0.0, 0.5 * (anew - here))
    return difference


def difference(size: int, rng: np.random.Generator) -> Outcome:
    """Simulate a pair, and the interval of the difference of its scores."""
    native = rng.uniform(0.3, 0.7)
    return difference_at(size, rng, native, rng.uniform(-0.1, 0.1))


def difference_at(size: int, rng: np.random.Generator, here: float, more: float, draws: float | None = None) -> Outcome:
    """Simulate a pair with this score here and so much more there."""
    native, there = here, here + more
    mean, low, high, _ = compare_pairs(points(size, rng, native, there, draws))
    return interval(100.0 * low, 100.0 * high, 100.0 * (there - native), 100.0 * mean)


def called_different(
    size: int, rng: np.random.Generator, score: float | None = None, draws: float | None = None
) -> Outcome:
    """Simulate a pair of equal scores, random by default; an error is to call them different."""
    score = rng.uniform(0.2, 0.8) if score is None else score
    return Outcome(float(compare_pairs(points(size, rng, score, score, draws))[3] < LEVEL))


def false_discoveries(different: int, size: int, rng: np.random.Generator) -> Outcome:
    """Simulate six pairs, and the share of equal pairs among those called different."""
    from scipy.stats import false_discovery_control

    natives = rng.uniform(0.3, 0.7, _PAIRS)
    apart = np.where(np.arange(_PAIRS) < different, _APART * np.sign(0.5 - natives), 0.0)
    p = [
        compare_pairs(points(size, rng, native, native + more))[3] for native, more in zip(natives, apart, strict=True)
    ]
    called = false_discovery_control(p) < LEVEL
    return Outcome(float(called[different:].sum()) / max(1.0, float(called.sum())))


COMMAND = "experiment=environments"
CLAIMS = [
    Claim(
        "score in PettingZoo minus that here",
        COMMAND,
        difference,
        "games",
        family=family_of(difference_at, here=(0.1, 0.5, 0.9), more=[0.04], draws=(0.0, 0.3)),
    ),
    Claim(
        "equal scores in PettingZoo and here told apart",
        COMMAND,
        called_different,
        "games",
        nominal=LEVEL,
        test=True,
        family=family_of(called_different, score=(0.05, 0.2, 0.5), draws=(0.0, 0.3)),
    ),
    *(
        Claim(
            f"equal pairs among six called different, {different} are",
            COMMAND,
            functools.partial(false_discoveries, different),
            "games",
            (20, 100),
            LEVEL,
            test=True,
        )
        for different in (0, _DIFFERENT)
    ),
]
