"""The Bayes-optimal policy of two Bernoulli arms: the yardstick that no policy beats on average over the prior."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.exact.choices import Floats, Pulls
from bandits.kernels import exact as kernels

LONGEST = 500  # pulls: half of all decisions lie in memory, T^4 / 48 bytes


class BayesOptimal:
    """The choice that maximises the expected sum of rewards of T pulls, where both means are uniform beforehand.

    Equally good arms are pulled with equal probability. Found by dynamic programming from the last pull back: the value
    of a state is the larger one of both arms' expected reward plus value of the state that it leads to.

    Bellman, "A problem in the sequential design of experiments", Sankhya 16 (1956), equation (2.1); for two unknown
    arms as in Berry and Fristedt, "Bandit problems" (1985), chapter 2.

    Examples
    --------
    >>> from fractions import Fraction
    >>> value = BayesOptimal().value(6)
    >>> Fraction(value).limit_denominator(1000)
    Fraction(421, 120)
    """

    name = "bayes_optimal"
    source = "Bellman 1956, equation (2.1); Berry and Fristedt 1985, chapter 2"

    @property
    def formula(self) -> str:
        """How an arm is chosen."""
        return "argmax E[r + V'] over T pulls, means uniform on [0, 1] beforehand"

    def check(self, arms: int, horizon: int) -> None:
        """Refuse what is too large, before any work."""
        if arms != 2:
            raise ValueError(f"policy {self.name} is for 2 arms; got {arms}")
        if horizon > LONGEST:
            raise ValueError(f"policy {self.name} must have a horizon of at most {LONGEST}; got {horizon}")

    def value(self, horizon: int) -> float:
        """Return the expected sum of rewards of that many pulls."""
        return self._solve(horizon)[0]

    def choice(self, horizon: int) -> Callable[[Pulls, int], Floats]:
        """Return the function that gives each arm's probability in every state of a block: float64[2, states].

        The first arm must have at most as many pulls as the second.
        """
        _, decisions = self._solve(horizon)

        def choose(pulls: Pulls, t: int) -> Floats:
            found = decisions[pulls].ravel()
            first = np.where(found == 2, 0.5, np.where(found == 0, 1.0, 0.0))
            return np.stack([first, 1.0 - first])

        return choose

    def _solve(self, horizon: int) -> tuple[float, dict[Pulls, npt.NDArray[np.int8]]]:
        """Return the value, and the decisions of the states in which the first arm has at most as many pulls."""
        decide_best: Any = kernels.decide_best
        after = {(n, horizon - n): np.zeros((n + 1, horizon - n + 1)) for n in range(horizon // 2 + 1)}
        decisions: dict[Pulls, npt.NDArray[np.int8]] = {}
        for pulled in range(horizon - 1, -1, -1):
            values = {}
            for n in range(pulled // 2 + 1):
                m = pulled - n
                first = after[n + 1, m] if n < m else np.ascontiguousarray(after[m, n + 1].T)
                values[n, m] = np.empty((n + 1, m + 1))
                decisions[n, m] = np.empty((n + 1, m + 1), np.int8)
                decide_best(n, m, first, after[n, m + 1], values[n, m], decisions[n, m])
            after = values
        return float(after[0, 0][0, 0]), decisions
