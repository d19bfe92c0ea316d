"""Paired differences of regret: the interval of a pair, joint intervals of all pairs, and adjusted p-values."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd

from bandits import Bernoulli
from bandits.differences import differences_of
from benchmarks.calibration.claim import Claim, Outcome, family_of, interval
from benchmarks.calibration.claims.regret import GAPS, SIZES, locked, pool
from numerics.statistics.bounded import mean_p_value
from numerics.statistics.holm import holm

TWO_ARMS, HORIZON, LEVEL = (0.4, 0.6), 200, 0.05
_EQUAL = 6  # copies of the same policy


def pairs(
    policies: tuple[str, ...], size: int, rng: np.random.Generator, arms: tuple[float, ...] = TWO_ARMS
) -> Outcome:
    """Simulate a comparison: the intervals of all pairs must cover jointly."""
    law = pool(policies, arms, HORIZON)
    drawn = law[rng.integers(len(law), size=size)]
    largest = HORIZON * Bernoulli(arms).largest_gap
    table = differences_of(pd.DataFrame(drawn, columns=list(policies)), locked(policies), largest)
    truth = pd.Series(law.mean(axis=0), index=list(policies))
    true = truth[table["policy_a"]].to_numpy() - truth[table["policy_b"]].to_numpy()
    return interval(table["ci_low"], table["ci_high"], true, table["difference_mean"], together=True)


def equals(size: int, rng: np.random.Generator) -> Outcome:
    """Simulate a comparison of identical policies with a skewed law; an error is any significant difference."""
    law = pool(("epsilon_greedy",), TWO_ARMS, HORIZON)[:, 0]
    drawn = pd.DataFrame(rng.choice(law, (size, _EQUAL)))
    return Outcome(float((differences_of(drawn)["p_adjusted"] < LEVEL).any()))


def by_holm(
    size: int, rng: np.random.Generator, policy: str = "epsilon_greedy", arms: tuple[float, ...] = TWO_ARMS
) -> Outcome:
    """Simulate Holm's method on the p-values of six means of 0; an error is any significant mean."""
    law, largest = pool((policy,), arms, HORIZON)[:, 0], HORIZON * Bernoulli(arms).largest_gap
    drawn = rng.choice(law, (size, _EQUAL)) - rng.choice(law, (size, _EQUAL))
    p = [mean_p_value(differences, -largest, largest) for differences in drawn.T]
    return Outcome(float(min(holm(p)) < LEVEL))


def _compared(size: int, rng: np.random.Generator, policies: tuple[str, ...], means: tuple[float, ...]) -> Outcome:
    return pairs(policies, size, rng, means)


FAR = (0.1, 0.9)
TWO = ("explore_then_commit explore=5", "explore_then_commit explore=20")
FIVE = ("ucb", "thompson", "greedy", "kl_ucb", "epsilon_greedy")
ALIKE = (("ucb", "thompson"), ("thompson", "kl_ucb"))
LOCKED = (("greedy", "thompson"), ("explore_then_commit explore=50", "ucb"))
COMPARISON = "experiment=comparison"
CLAIMS = [
    *(
        Claim(
            f"paired difference of {name}",
            COMPARISON,
            functools.partial(pairs, policies, arms=arms),
            family=family_of(_compared, policies=alike, means=GAPS),
            family_sizes=SIZES,
        )
        for name, policies, arms, alike in (
            ("ucb and thompson", ("ucb", "thompson"), TWO_ARMS, ALIKE),
            ("greedy and thompson", ("greedy", "thompson"), TWO_ARMS, ()),
            ("greedy and Thompson on arms far apart", ("greedy", "thompson"), FAR, LOCKED),
            ("two explore-then-commit on arms far apart", TWO, FAR, (TWO, (TWO[1], "explore_then_commit explore=50"))),
        )
    ),
    Claim(
        "all ten differences of five policies at once",
        COMPARISON,
        functools.partial(pairs, FIVE),
    ),
    Claim(
        "six equal policies told apart",
        COMPARISON,
        equals,
        nominal=LEVEL,
        test=True,
    ),
    Claim(
        "Holm's method, six means of 0",
        "experiment=root_regret",
        by_holm,
        nominal=LEVEL,
        test=True,
        family=family_of(
            by_holm, policy=("thompson", "greedy", "explore_then_commit explore=20"), arms=(FAR, TWO_ARMS)
        ),
    ),
]
