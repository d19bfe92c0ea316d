"""The sequential test of two players: its errors, its length, and the interval of the score after it."""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.claim import Claim, Outcome, interval
from numerics.statistics.sprt import SCORES, Sprt, counts_of, strength

COMMAND, UNIT = "experiment=sprt", "Elo between"
_LAW = np.array([0.06, 0.18, 0.46, 0.22, 0.08])  # of a pair's result, similar to that of two players of this project
_BLOCK = 256  # pairs drawn at once
_NORMAL = 1.6448536269514722  # the 0.95 quantile: a fixed number of games with errors of 5 % on either side

Floats = npt.NDArray[np.float64]


@functools.lru_cache(maxsize=64)
def law_of(t: float) -> Floats:
    """Return a law of a pair's results with t-value t."""
    from scipy.optimize import brentq

    def law(tilt: float) -> Floats:
        weights: Floats = _LAW * np.exp(tilt * SCORES)
        return np.asarray(weights / weights.sum())

    def excess(tilt: float) -> float:
        mean = float(law(tilt) @ SCORES)
        return (mean - 0.5) / math.sqrt(law(tilt) @ (SCORES - mean) ** 2) - t

    return law(float(brentq(excess, -50.0, 50.0)))


def played(test: Sprt, law: Floats, rng: np.random.Generator) -> tuple[Floats, str]:
    """Return the counts at the end of a test, and the accepted hypothesis."""
    before = np.zeros(SCORES.size, dtype=np.int64)
    while True:
        counts = before + counts_of(rng.choice(SCORES.size, _BLOCK, p=law))
        pairs, accepted = test.end(test.llr(counts))
        if accepted:
            return counts[pairs - 1], accepted
        before = counts[-1]


def errs(under_h1: bool, size: int, rng: np.random.Generator) -> Outcome:
    """Play a test under one of its hypotheses; an error is to accept the other."""
    test = Sprt(elo0=0.0, elo1=float(size))
    accepted = played(test, law_of(test.theta(test.elo1 if under_h1 else test.elo0)), rng)[1]
    return Outcome(float(accepted != ("H1" if under_h1 else "H0")))


def length(size: int, rng: np.random.Generator) -> Outcome:
    """Return the ratio of the pairs of a test under H1 to those of a fixed test with the same errors."""
    test = Sprt(elo0=0.0, elo1=float(size))
    fixed = (2.0 * _NORMAL / (test.theta(test.elo1) - test.theta(test.elo0))) ** 2
    return Outcome(float(played(test, law_of(test.theta(test.elo1)), rng)[0].sum()) / fixed)


def covers(size: int, rng: np.random.Generator) -> Outcome:
    """Play a test with a true strength from well below H0 to well above H1, and return the interval of the score."""
    test = Sprt(elo0=0.0, elo1=float(size))
    law = law_of(test.theta(size * round(rng.uniform(-0.5, 1.5), 1)))
    score = strength(played(test, law, rng)[0], test).score
    return interval(score[1], score[2], float(law @ SCORES), score[0])


CLAIMS = [
    Claim("SPRT accepts H1 under H0", COMMAND, functools.partial(errs, False), UNIT, (50, 20), 0.05, test=True),
    Claim("SPRT accepts H0 under H1", COMMAND, functools.partial(errs, True), UNIT, (50, 20), 0.05, test=True),
    Claim("mean pairs of an SPRT over those of a fixed test", COMMAND, length, UNIT, (50, 20), 0.6, test=True),
    # The score moves by whole pairs, and so beyond the bounds: the interval is slightly wider than necessary.
    Claim("score after an SPRT", COMMAND, covers, UNIT, (50, 20)),
]
