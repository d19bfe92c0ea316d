"""Paired differences of regret: the interval of a pair, joint intervals of all pairs, and adjusted p-values."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd

from bandits import Bernoulli
from bandits.bounds import largest_regret
from bandits.differences import differences_of
from experiments.calibration.claim import Claim, Outcome, interval
from experiments.calibration.claims.regret import locked, pool
from numerics.statistics import means
from numerics.statistics.holm import holm

TWO_ARMS, HORIZON, LEVEL = (0.4, 0.6), 200, 0.05
_EQUAL = 6  # copies of the same policy


def pairs(
    policies: tuple[str, ...], size: int, rng: np.random.Generator, arms: tuple[float, ...] = TWO_ARMS
) -> Outcome:
    """Simulate a comparison: the intervals of all pairs must cover jointly."""
    law = pool(policies, arms, HORIZON)
    drawn = law[rng.integers(len(law), size=size)]
    largest = largest_regret(Bernoulli(arms), HORIZON)
    table = differences_of(pd.DataFrame(drawn, columns=list(policies)), locked(policies), largest)
    truth = pd.Series(law.mean(axis=0), index=list(policies))
    true = truth[table["policy_a"]].to_numpy() - truth[table["policy_b"]].to_numpy()
    return interval(table["ci_low"], table["ci_high"], true, table["difference_mean"], together=True)


def equals(size: int, rng: np.random.Generator) -> Outcome:
    """Simulate a comparison of identical policies with a skewed law; an error is any significant difference."""
    law = pool(("epsilon_greedy",), TWO_ARMS, HORIZON)[:, 0]
    drawn = pd.DataFrame(rng.choice(law, (size, _EQUAL)))
    return Outcome(float((differences_of(drawn)["p_adjusted"] < LEVEL).any()))


def by_holm(size: int, rng: np.random.Generator) -> Outcome:
    """Simulate Holm's method on the p-values of six means of 0; an error is any significant mean."""
    law = pool(("epsilon_greedy",), TWO_ARMS, HORIZON)[:, 0]
    drawn = rng.choice(law, (size, _EQUAL)) - rng.choice(law, (size, _EQUAL))
    p = means.p_value(drawn.mean(axis=0), means.standard_error(drawn), means.skewness(drawn), size)
    return Outcome(float(min(holm(p.tolist())) < LEVEL))


COMPARISON = "experiment=comparison"
CLAIMS = [
    *(
        Claim(name, COMPARISON, functools.partial(pairs, tuple(policies.split())), conservative=True)
        for name, policies in (
            ("paired difference of ucb and thompson", "ucb thompson"),
            ("paired difference of greedy and thompson", "greedy thompson"),
            ("all ten differences of five policies at once", "ucb thompson greedy kl_ucb epsilon_greedy"),
        )
    ),
    *(
        Claim(
            f"paired difference of {name}",
            COMPARISON,
            functools.partial(pairs, policies, arms=(0.1, 0.9)),
            conservative=True,
        )
        for name, policies in (
            ("greedy and Thompson on arms far apart", ("greedy", "thompson")),
            (
                "two explore-then-commit on arms far apart",
                ("explore_then_commit explore=5", "explore_then_commit explore=20"),
            ),
        )
    ),
    Claim("six equal policies told apart", COMPARISON, equals, nominal=LEVEL, test=True),
    Claim("Holm's method, six means of 0", "experiment=strength, root_regret", by_holm, nominal=LEVEL, test=True),
]
