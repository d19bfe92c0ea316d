"""Ranks of a leaderboard's problem, and the ratios of mean regrets to the least."""

from __future__ import annotations

import numpy as np

from experiments.calibration.claim import Claim, Outcome, interval
from experiments.calibration.claims.regret import pool
from experiments.leaderboard.pairs import ranked_by_pairs
from experiments.statistics.ranks import over

POLICIES = ("ucb", "thompson", "kl_ucb", "moss", "epsilon_greedy", "greedy")


def rank(size: int, rng: np.random.Generator) -> Outcome:
    """Simulate one problem, and the interval of every policy's rank."""
    law = pool(POLICIES, (0.4, 0.6), 200)
    found = ranked_by_pairs(law[rng.integers(len(law), size=size)])
    return interval(found.rank_low, found.rank_high, law.mean(axis=0).argsort().argsort() + 1.0, found.rank)


def ratio(size: int, rng: np.random.Generator) -> Outcome:
    """Simulate one problem, and the interval of every policy's ratio to the least mean regret."""
    law = pool(POLICIES, (0.4, 0.6), 200)
    found, true = ranked_by_pairs(law[rng.integers(len(law), size=size)]), law.mean(axis=0)
    return interval(found.ratio_low, found.ratio_high, over(true, true.min()), found.ratio)


BOARD = "experiment=leaderboard"
CLAIMS = [
    Claim("rank among six policies", BOARD, rank, conservative=True),
    Claim("regret over that of the best of six policies", BOARD, ratio, conservative=True),
]
