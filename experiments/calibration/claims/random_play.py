"""Games of random players: results, laws of their lengths, and the number of games."""

from __future__ import annotations

import functools
import math

import numpy as np
import pandas as pd

from connect4.combinatorics.estimates import walk_games
from experiments.calibration.claim import Claim, Outcome, interval
from experiments.kinds.random_games.tables import LENGTHS, summary
from numerics.statistics.laws import LEVEL, fit_all

SHARES = {"first": 0.5559, "second": 0.4415, "draw": 0.0026}  # of 7x6, about
GAMES_4X4 = 47_982_540  # finished games, counted (`python -m connect4.combinatorics.counting board=4x4`)
PERCENT = 100.0


def share(result: str, size: int, rng: np.random.Generator) -> Outcome:
    """Simulate games of random players, and the interval of a result's share."""
    counts = rng.multinomial(size, [*SHARES.values()])
    rows = [("random", 20, winner, games) for winner, games in zip((1, -1, 0), counts, strict=True)]
    row = summary(pd.DataFrame(rows, columns=list(LENGTHS)), (7, 6, 4), ("random", "random"), []).iloc[0]
    ends = PERCENT * row[f"{result}_low"], PERCENT * row[f"{result}_high"]
    return interval(*ends, PERCENT * SHARES[result], PERCENT * row[result])


def estimate(size: int, rng: np.random.Generator) -> Outcome:
    """Estimate the number of finished games on 4x4 by random paths; in natural logarithms."""
    estimate = walk_games(4, 4, 4, size, int(rng.integers(0, 2**31))).all.estimates()[0]
    return interval(*estimate.interval(), math.log(GAMES_4X4), estimate.log)


def true_law(size: int, rng: np.random.Generator) -> Outcome:
    """Draw lengths from a Poisson law; an error is to reject that law."""
    plies = 7 + 2 * np.minimum(rng.poisson(7.0, size), 17)
    lengths, games = np.unique(plies, return_counts=True)
    (fit,) = (fit for fit in fit_all(lengths, games, 7, 41, 2, names=("Poisson",)))
    return Outcome(float(fit.p_value < LEVEL))


RANDOM = "experiment=random_games"
CLAIMS = [
    Claim("share of wins in random play", RANDOM, functools.partial(share, "first"), "games"),
    Claim("share of draws in random play", RANDOM, functools.partial(share, "draw"), "games", conservative=True),
    Claim("number of games by random paths", RANDOM, estimate, "paths", (100, 1_000, 10_000)),
    Claim("the law of lengths is not rejected", RANDOM, true_law, "games", (100, 1_000), LEVEL, test=True),
]
