"""Games of random players: results, laws of their lengths, and the number of games."""

from __future__ import annotations

import functools
import math

import numpy as np
import pandas as pd

from benchmarks.calibration.claim import Claim, Outcome, family_of, interval
from connect4.combinatorics.estimates import walk_games
from experiments.kinds.random_games.random_play_tables import LENGTHS, summary
from numerics.statistics.laws import LEVEL, fit_all

SHARES = {"first": 0.5559, "second": 0.4415, "draw": 0.0026}  # of 7x6, about
GAMES_4X4 = 47_982_540  # finished games, counted (`python -m connect4.combinatorics.counting board=4x4`)
PERCENT = 100.0


def share(result: str, size: int, rng: np.random.Generator, rate: float | None = None) -> Outcome:
    """Simulate games of random players, and the interval of a result's share, which is that of 7x6 by default."""
    rate = SHARES[result] if rate is None else rate
    others = {name: other / (1.0 - SHARES[result]) * (1.0 - rate) for name, other in SHARES.items()}
    counts = rng.multinomial(size, [rate if name == result else others[name] for name in SHARES])
    rows = [("random", 20, winner, games) for winner, games in zip((1, -1, 0), counts, strict=True)]
    row = summary(pd.DataFrame(rows, columns=list(LENGTHS)), (7, 6, 4), ("random", "random"), []).iloc[0]
    ends = PERCENT * row[f"{result}_low"], PERCENT * row[f"{result}_high"]
    return interval(*ends, PERCENT * rate, PERCENT * row[result])


def estimate(size: int, rng: np.random.Generator) -> Outcome:
    """Estimate the number of finished games on 4x4 by random paths; in natural logarithms."""
    estimate = walk_games(4, 4, 4, size, int(rng.integers(0, 2**31))).all.estimates()[0]
    return interval(*estimate.interval(), math.log(GAMES_4X4), estimate.log)


def true_law(size: int, rng: np.random.Generator, mean: float = 7.0) -> Outcome:
    """Draw lengths from a Poisson law; an error is to reject that law."""
    plies = 7 + 2 * np.minimum(rng.poisson(mean, size), 17)
    lengths, games = np.unique(plies, return_counts=True)
    (fit,) = (fit for fit in fit_all(lengths, games, 7, 41, 2, names=("Poisson",)))
    return Outcome(float(fit.p_value < LEVEL))


RANDOM = "experiment=random_games"
_share = {result: functools.partial(share, result) for result in ("first", "draw")}
CLAIMS = [
    Claim(
        "share of wins in random play",
        RANDOM,
        _share["first"],
        "games",
        family=family_of(_share["first"], rate=(0.05, 0.3, 0.5, 0.9)),
    ),
    Claim(
        "share of draws in random play",
        RANDOM,
        _share["draw"],
        "games",
        family=family_of(_share["draw"], rate=(0.01, 0.05, 0.2)),
    ),
    Claim("number of games by random paths", RANDOM, estimate, "paths", (100, 1_000, 10_000), about=True),
    Claim(
        "the law of lengths is not rejected",
        RANDOM,
        true_law,
        "games",
        (100, 1_000),
        LEVEL,
        test=True,
        family=family_of(true_law, mean=(2.0, 4.0, 7.0)),
    ),
]
