"""Click logs: the interval of each arm, that of the best arm, and which arms the log distinguishes."""

from __future__ import annotations

import numpy as np

from bandits.arms.from_log import LEVEL
from benchmarks.calibration.claim import Claim, Outcome, family_of, interval
from numerics.statistics.intervals import clopper_pearson

ARMS, RATE = 34, 0.05  # about as many arms as the packaged log has, all equally good


def alone(size: int, rng: np.random.Generator, rate: float = RATE) -> Outcome:
    """Simulate a log of `size` impressions of each arm, and an interval for each arm alone."""
    won = rng.binomial(size, rate, ARMS).astype(np.float64)
    low, high = clopper_pearson(won, np.full(ARMS, float(size)), LEVEL)
    return interval(low, high, np.full(ARMS, rate), won / size)


def best(size: int, rng: np.random.Generator, rate: float = RATE, arms: int = ARMS) -> Outcome:
    """Simulate a log, and the interval of the arm whose estimate is the best."""
    won = rng.binomial(size, rate, arms).astype(np.float64)
    low, high = clopper_pearson(won, np.full(arms, float(size)), LEVEL / arms)
    named = int(won.argmax())
    return interval(low[named], high[named], rate, won[named] / size)


def apart(size: int, rng: np.random.Generator, rate: float = RATE, arms: int = 10) -> Outcome:
    """Simulate a log of equal arms; an error is an interval that does not overlap that of the best estimate."""
    won = rng.binomial(size, rate, arms).astype(np.float64)
    low, high = clopper_pearson(won, np.full(arms, float(size)), LEVEL / arms)
    return Outcome(float((high < low[won.argmax()]).any()))


LOG, UNIT, SIZES = "arms=from_log", "impressions an arm", (100, 1_000, 10_000)
RATES, NUMBERS = (0.005, RATE, 0.3), (2, 10)
CLAIMS = [
    Claim("mean of an arm of a click log", LOG, alone, UNIT, SIZES, family=family_of(alone, rate=RATES)),
    Claim("best estimate of a click log", LOG, best, UNIT, SIZES, family=family_of(best, rate=RATES, arms=NUMBERS)),
    Claim(
        "equal arms of a click log told apart",
        LOG,
        apart,
        UNIT,
        SIZES,
        LEVEL,
        test=True,
        family=family_of(apart, rate=RATES, arms=NUMBERS),
    ),
]
