"""Ranks of a leaderboard's problem, the ratios of mean regrets to the least, and the score over several problems."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.calibration.claim import Claim, Outcome, family_of, interval
from benchmarks.calibration.claims.regret import GAPS, bound, pool
from experiments.kinds.leaderboard.leaderboard_tables import rank_policies, ranked_by_pairs
from numerics.statistics.ranks import ratios_to_least

POLICIES = ("ucb", "thompson", "kl_ucb", "moss", "epsilon_greedy", "greedy")
CLOSE, FAR, OTHER, HORIZON = (0.4, 0.6), (0.1, 0.9), (0.2, 0.5, 0.7), 200


def _bounds(
    means: tuple[float, ...], drawn: npt.NDArray[np.float64], policies: tuple[str, ...] = POLICIES
) -> dict[str, float]:
    """Return the bound that each policy's interval needs."""
    return {name: bound(name, means, HORIZON, values) for name, values in zip(policies, drawn.T, strict=True)}


def rank(
    size: int, rng: np.random.Generator, policies: tuple[str, ...] = POLICIES, means: tuple[float, ...] = CLOSE
) -> Outcome:
    """Simulate a problem, and the interval of every policy's rank."""
    law = pool(policies, means, HORIZON)
    drawn = law[rng.integers(len(law), size=size)]
    ranking = ranked_by_pairs(drawn, list(_bounds(means, drawn, policies).values()))
    return interval(ranking.rank_low, ranking.rank_high, law.mean(axis=0).argsort().argsort() + 1.0, ranking.rank)


def ratio(
    size: int, rng: np.random.Generator, policies: tuple[str, ...] = POLICIES, means: tuple[float, ...] = CLOSE
) -> Outcome:
    """Simulate a problem, and the interval of every policy's ratio to the least mean regret."""
    law = pool(policies, means, HORIZON)
    drawn, true = law[rng.integers(len(law), size=size)], law.mean(axis=0)
    ranking = ranked_by_pairs(drawn, list(_bounds(means, drawn, policies).values()))
    return interval(ranking.ratio_low, ranking.ratio_high, ratios_to_least(true, true.min()), ranking.ratio)


def over_two(
    what: str,
    arms: tuple[tuple[float, ...], ...],
    size: int,
    rng: np.random.Generator,
    policies: tuple[str, ...] = POLICIES,
) -> Outcome:
    """Simulate two problems, and the interval of every policy's score over both, or of its rank by the score."""
    problems_of = dict(zip(("close", "ten means"), arms, strict=True))
    laws = {name: pool(policies, means, HORIZON) for name, means in problems_of.items()}
    drawn = {problem: law[rng.integers(len(law), size=size)] for problem, law in laws.items()}
    ratios = {
        problem: ratios_to_least(values.mean(axis=0), values.mean(axis=0).min()) for problem, values in drawn.items()
    }
    problems = pd.concat(
        [pd.DataFrame({"policy": policies, "problem": name, "ratio": ratio}) for name, ratio in ratios.items()]
    )
    regrets = {name: dict(zip(policies, values.T, strict=True)) for name, values in drawn.items()}
    bounds = {name: _bounds(problems_of[name], values, policies) for name, values in drawn.items()}
    board = rank_policies(problems, regrets, int(rng.integers(2**32)), bounds).set_index("policy").loc[list(policies)]
    means = [law.mean(axis=0) for law in laws.values()]
    truth = np.exp(np.mean([np.log(ratios_to_least(mean, mean.min())) for mean in means], axis=0))
    if what == "rank":
        truth = truth.argsort().argsort() + 1.0
    return interval(board[f"{what}_low"], board[f"{what}_high"], truth, board[what])


def _over_both(size: int, rng: np.random.Generator, what: str, first: tuple[float, ...]) -> Outcome:
    return over_two(what, (first, OTHER), size, rng, THREE)


BOARD = "experiment=leaderboard"
THREE = ("ucb", "thompson", "greedy")  # fewer policies: the family has more settings
SETTINGS: dict[str, Sequence[Any]] = {"policies": [THREE], "means": GAPS}
CLAIMS = [
    Claim("rank among six policies", BOARD, rank, family=family_of(rank, **SETTINGS), family_sizes=(20, 30, 100)),
    Claim(
        "regret over that of the best of six policies",
        BOARD,
        ratio,
        family=family_of(ratio, **SETTINGS),
        family_sizes=(20, 30, 100),
    ),
    *(
        Claim(
            f"{what} of six policies over two problems{where}",
            BOARD,
            functools.partial(over_two, what, arms),
            sizes=(20, 100),
            family=family_of(_over_both, what=[what], first=GAPS[:2]) if where else {},
        )
        for what, where, arms in (
            ("score", "", (CLOSE, OTHER)),
            ("score", ", one of arms far apart", (CLOSE, FAR)),
            ("rank", ", one of arms far apart", (CLOSE, FAR)),
        )
    ),
]
