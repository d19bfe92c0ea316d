"""The mean regret of a policy, with its interval."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from bandits import simulate
from experiments.calibration.claim import Claim, Outcome, interval
from numerics.output.style import half_width

POOL, SEED = 100_000, 1  # replications that are simulated once; an experiment draws from them

Floats = npt.NDArray[np.float64]


@functools.lru_cache(maxsize=4)
def pool(policy: str, means: tuple[float, ...], horizon: int) -> Floats:
    """Return the final pseudo-regret of many replications: float64[POOL].

    An experiment draws its replications from these with replacement, so that their mean is exactly its truth.
    """
    return simulate(policy, list(means), horizon=horizon, runs=POOL, seed=SEED).pseudo_regret.copy()


def mean(policy: str, means: tuple[float, ...], horizon: int, size: int, rng: np.random.Generator) -> Outcome:
    """Simulate one run of so many replications."""
    regrets = pool(policy, means, horizon)
    drawn = rng.choice(regrets, size)
    half = half_width(size) * float(drawn.std(ddof=1)) / np.sqrt(size)
    found = float(drawn.mean())
    return interval(found - half, found + half, regrets.mean(), found)


CLAIMS = [Claim("mean regret of UCB1", "experiment=regret", functools.partial(mean, "ucb", (0.4, 0.6), 200))]
