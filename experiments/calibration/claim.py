"""A claim: a printed interval covers the truth at its nominal rate, or a test errs at most at its nominal rate."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

AT_LEAST, AT_MOST = "at least", "at most"
RUNS = 2_000  # default number of simulated experiments
MARGIN, BELOW = 0.015, 0.005  # allowed error of coverage, and allowed shortfall for conservative methods

Simulate = Callable[[int, np.random.Generator], "Outcome"]


class Outcome(NamedTuple):
    """The outcome of a simulated experiment.

    Attributes
    ----------
    above, below : float
        1 if the truth lay above, or below, the interval, else 0; for several intervals, the shares of them. For a test,
        `above` is 1 if it erred.
    width : float
        Width of the interval, in the unit in which the command prints it; NaN for a test.
    bias : float
        The estimate minus the truth, in the same unit; NaN without an estimate.
    """

    above: float
    below: float = 0.0
    width: float = np.nan
    bias: float = np.nan


@dataclass(frozen=True)
class Claim:
    """A claim, the command that prints it, and a simulation of an experiment.

    Attributes
    ----------
    name : str
        A few distinctive words; the command selects claims by a part of the name.
    command : str
        The command that prints the interval or test, such as "experiment=match".
    simulate : callable
        (size, generator) -> Outcome of a simulated experiment. The interval must come from the function whose result
        the command prints.
    unit : str
        The unit of `sizes`: "replications", "games".
    sizes : tuple of int
    nominal : float
        The claimed coverage; for a test, the largest allowed error rate.
    test : bool
        Whether `nominal` is the error rate of a test instead of a coverage.
    conservative : bool
        Whether the method covers more than its nominal rate by construction, as Clopper and Pearson's does.
    """

    name: str
    command: str
    simulate: Simulate
    unit: str = "replications"
    sizes: tuple[int, ...] = (20, 100, 1_000)
    nominal: float = 0.95
    test: bool = False
    conservative: bool = False

    @property
    def bound(self) -> str:
        """How the measured rate relates to the nominal one: "at least", "at most", or "" for about equal."""
        return AT_MOST if self.test else AT_LEAST if self.conservative else ""

    @property
    def key(self) -> int:
        """A number computed from the name, for random streams and file names."""
        return zlib.crc32(self.name.encode())

    def outcome(self, size: int, seed: int, index: int) -> Outcome:
        """Return the outcome of experiment `index`, which has a separate random stream."""
        return self.simulate(size, np.random.default_rng([seed, self.key, size, index]))

    def allowed(self, runs: int) -> tuple[float, float]:
        """Return the range in which the rate measured by `runs` experiments must lie.

        With 2,000 experiments or more, coverage must be within 1.5 points of the nominal rate; that of a conservative
        method at most half a point below it; the error rate of a test at most two standard errors above it. With fewer
        experiments, the points grow like standard errors.
        """
        room = max(1.0, float(np.sqrt(RUNS / runs)))
        if self.test:
            return 0.0, self.nominal + 2.0 * float(np.sqrt(self.nominal * (1.0 - self.nominal) / runs))
        if self.conservative:
            return self.nominal - BELOW * room, 1.0
        return self.nominal - MARGIN * room, self.nominal + MARGIN * room


def interval(
    low: npt.ArrayLike,
    high: npt.ArrayLike,
    truth: npt.ArrayLike,
    estimate: npt.ArrayLike = np.nan,
    *,
    together: bool = False,
) -> Outcome:
    """Return the outcome of one or several intervals.

    Parameters
    ----------
    low, high, truth, estimate : float or arrays of one shape
    together : bool, default False
        Whether all intervals must cover jointly; otherwise the outcome has the shares that miss.

    Examples
    --------
    >>> interval(0.2, 0.4, 0.5)[:2], interval([0.2, 0.5], [0.4, 0.7], 0.45)[:2]
    ((1.0, 0.0), (0.5, 0.5))
    """
    ends, true = (np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)), np.asarray(truth, np.float64)
    above, below = ~(true <= ends[1]), ~(true >= ends[0])  # an interval with a NaN end covers nothing
    missed = (float(above.any()), float(below.any() and not above.any())) if together else None
    over, under = missed or (float(above.mean()), float((below & ~above).mean()))
    bias = np.asarray(estimate, dtype=np.float64) - true
    return Outcome(over, under, float(np.mean(ends[1] - ends[0])), float(bias.mean()))
