"""Ranks of a leaderboard's problem, the ratios of mean regrets to the least, and the score over several problems."""

from __future__ import annotations

import numpy as np
import pandas as pd

from experiments.calibration.claim import Claim, Outcome, interval
from experiments.calibration.claims.regret import pool
from experiments.kinds.leaderboard.tables import overall, ranked_by_pairs
from numerics.statistics.ranks import over

POLICIES = ("ucb", "thompson", "kl_ucb", "moss", "epsilon_greedy", "greedy")


def rank(size: int, rng: np.random.Generator) -> Outcome:
    """Simulate a problem, and the interval of every policy's rank."""
    law = pool(POLICIES, (0.4, 0.6), 200)
    ranking = ranked_by_pairs(law[rng.integers(len(law), size=size)])
    return interval(ranking.rank_low, ranking.rank_high, law.mean(axis=0).argsort().argsort() + 1.0, ranking.rank)


def ratio(size: int, rng: np.random.Generator) -> Outcome:
    """Simulate a problem, and the interval of every policy's ratio to the least mean regret."""
    law = pool(POLICIES, (0.4, 0.6), 200)
    ranking, true = ranked_by_pairs(law[rng.integers(len(law), size=size)]), law.mean(axis=0)
    return interval(ranking.ratio_low, ranking.ratio_high, over(true, true.min()), ranking.ratio)


def score(size: int, rng: np.random.Generator) -> Outcome:
    """Simulate two problems, and the interval of every policy's score over both."""
    laws = {"close": pool(POLICIES, (0.4, 0.6), 200), "ten means": pool(POLICIES, (0.2, 0.5, 0.7), 200)}
    drawn = {problem: law[rng.integers(len(law), size=size)] for problem, law in laws.items()}
    ratios = {problem: over(values.mean(axis=0), values.mean(axis=0).min()) for problem, values in drawn.items()}
    problems = pd.concat(
        [pd.DataFrame({"policy": POLICIES, "problem": name, "ratio": ratio}) for name, ratio in ratios.items()]
    )
    regrets = {name: dict(zip(POLICIES, values.T, strict=True)) for name, values in drawn.items()}
    board = overall(problems, regrets, int(rng.integers(2**32))).set_index("policy").loc[list(POLICIES)]
    means = [law.mean(axis=0) for law in laws.values()]
    truth = np.exp(np.mean([np.log(over(mean, mean.min())) for mean in means], axis=0))
    return interval(board["score_low"], board["score_high"], truth, board["score"])


BOARD = "experiment=leaderboard"
CLAIMS = [
    Claim("rank among six policies", BOARD, rank, conservative=True),
    Claim("score of six policies over two problems", BOARD, score, sizes=(20, 100), conservative=True),
    Claim("regret over that of the best of six policies", BOARD, ratio, conservative=True),
]
