"""The Bayes-optimal policy for two Bernoulli arms, which no policy beats on average over the prior."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.kernels import exact as kernels
from bandits.policies.base import Limits, Policy
from bandits.rules import vector_rule

Floats = npt.NDArray[np.float64]


class BayesOptimal(Policy, name="bayes_optimal"):
    """The choice that maximises the expected sum of rewards of T pulls under uniform priors of both means.

    Equally good arms are pulled with equal probability. For two Bernoulli arms and up to 500 pulls; the plan is
    computed before the first pull, by dynamic programming over all pulls and successes. No parameters.
    """

    source = "Bellman 1956, equation (2.1); for two unknown arms Berry and Fristedt 1985, chapter 2"
    other_rewards = "refused"
    unit_rewards = True
    limits = Limits(arms=2, horizon=500)  # T^3 / 24 thresholds lie in memory, 42 MB
    formula = "argmax E[sum of rewards to come in T pulls], means uniform on [0, 1] beforehand"

    def value(self, horizon: int) -> float:
        """Return the expected sum of rewards of `horizon` pulls, 1 to 500.

        Examples
        --------
        >>> from fractions import Fraction
        >>> Fraction(BayesOptimal().value(6)).limit_denominator(1000)
        Fraction(421, 120)
        """
        return _solve(horizon)[0]

    def plan(self, horizon: int, arms: int = 2) -> Floats:
        """Return the thresholds of all states of fewer than T pulls of two arms.

        Before them stands the index where each number of pulls begins.

        A state has n and m pulls of the arms, n <= m, and s and z successes. The value of the remaining pulls is the
        larger of

            E[r + V' | first]  = p (1 + V(n + 1, s + 1; m, z)) + (1 - p) V(n + 1, s; m, z),      p = (s + 1) / (n + 2)
            E[r + V' | second] = q (1 + V(n, s; m + 1, z + 1)) + (1 - q) V(n, s; m + 1, z),      q = (z + 1) / (m + 2)

        (Bellman, "A problem in the sequential design of experiments", Sankhya 16, 1956, equation (2.1); Berry and
        Fristedt, "Bandit problems", 1985, chapter 2). The second arm is better the more successes it has, so a
        threshold for each n, s, m decides. Pull the first arm if z is below it, the second if z is above it, and either
        if z is equal.

        Examples
        --------
        >>> BayesOptimal().plan(2).tolist()  # then an arm without a pull beats a failure, and loses against a success
        [2.0, 3.0, 0.0, 0.5]
        """
        return _solve(horizon)[1]


@functools.lru_cache(maxsize=2)
def _solve(horizon: int) -> tuple[float, Floats]:
    """Return the value and the plan, by backward induction from the last pull."""
    write_thresholds: Any = kernels.write_thresholds
    sizes = [(pulled // 2 + 1) * (pulled // 2 + 2) // 2 for pulled in range(horizon)]
    begins = horizon + np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    thresholds = np.empty(begins[-1])
    thresholds[:horizon] = begins[:-1]
    after = {n: np.zeros((n + 1, horizon - n + 1)) for n in range(horizon // 2 + 1)}  # by the pulls of the first arm
    for pulled in range(horizon - 1, -1, -1):
        values = {}
        for n in range(pulled // 2 + 1):
            m = pulled - n
            first = after[n + 1] if n < m else np.ascontiguousarray(after[m].T)
            values[n] = np.empty((n + 1, m + 1))
            start = begins[pulled] + n * (n + 1) // 2
            write_thresholds(n, m, first, after[n], values[n], thresholds[start : start + n + 1])
        after = values
    assert not np.isnan(thresholds).any(), "a threshold decides"
    return float(after[0][0, 0]), thresholds


@vector_rule(every_arm_first=False, needs="horizon")
def bayes_optimal(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """1 for the arm that `BayesOptimal.plan` pulls, or for both if they are equally good, else 0."""
    size = rng.shape[0]
    for r in range(size):
        few, many = r, size + r
        if pulls[few] > pulls[many]:
            few, many = many, few
        n = pulls[few]
        won, others = math.floor(n * means[few] + 0.5), math.floor(pulls[many] * means[many] + 0.5)
        limit = params[int(params[int(n + pulls[many])] + n * (n + 1.0) * 0.5 + won)]
        out[few] = 1.0 if others <= limit else 0.0
        out[many] = 1.0 if others >= limit else 0.0
