"""A claim: that an interval which a command prints covers the truth as often as it says, or a test errs as seldom."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

AT_LEAST, AT_MOST = "at least", "at most"
RUNS = 2_000  # simulated experiments, unless fewer are asked for
MARGIN, BELOW = 0.015, 0.005  # of coverage: how far off it may be, and how far below where a method is conservative

Simulate = Callable[[int, np.random.Generator], "Outcome"]


class Outcome(NamedTuple):
    """What came of one simulated experiment.

    Attributes
    ----------
    above, below : float
        1 if the truth lay above, or below, the interval, else 0; of several intervals the share that missed so. Of a
        test, `above` is 1 if it erred.
    width : float
        Of the interval, in the unit in which the command prints it; NaN for a test.
    bias : float
        The estimate minus the truth, in the same unit; NaN where there is none.
    """

    above: float
    below: float = 0.0
    width: float = np.nan
    bias: float = np.nan


@dataclass(frozen=True)
class Claim:
    """What is claimed, where it is printed, and how one experiment is simulated.

    Attributes
    ----------
    name : str
        Few words that tell it from all others; the command picks claims by a part of it.
    command : str
        What prints it, such as "experiment=match".
    simulate : callable
        (size, generator) -> Outcome of one simulated experiment. The interval must come from the function whose result
        the command prints.
    unit : str
        What `sizes` counts: "replications", "games".
    sizes : tuple of int
    nominal : float
        The coverage that is claimed; of a test, the rate of errors that it must not exceed.
    test : bool
        Whether `nominal` is the error rate of a test, else it is a coverage.
    conservative : bool
        Whether the method covers more than it says by its nature, such as Clopper and Pearson's.
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
        """Whether the nominal rate is one to be met (empty), "at least" or "at most"."""
        return AT_MOST if self.test else AT_LEAST if self.conservative else ""

    @property
    def key(self) -> int:
        """A number of its name, for its random streams and its files."""
        return zlib.crc32(self.name.encode())

    def outcome(self, size: int, seed: int, index: int) -> Outcome:
        """Return what comes of experiment `index`, which has a random stream of its own."""
        return self.simulate(size, np.random.default_rng([seed, self.key, size, index]))

    def allowed(self, runs: int) -> tuple[float, float]:
        """Return between which ends the rate measured by so many experiments must lie.

        By 2,000 experiments or more: the coverage at most 1.5 points from the nominal one; that of a conservative
        method at most half a point below it; the error rate of a test at most two standard errors above it. By fewer,
        the points grow as standard errors do.
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
        Whether it is claimed that all cover their truth at once; else each one on its own, and shares are counted.

    Examples
    --------
    >>> interval(0.2, 0.4, 0.5)[:2], interval([0.2, 0.5], [0.4, 0.7], 0.45)[:2]
    ((1.0, 0.0), (0.5, 0.5))
    """
    ends, true = (np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)), np.asarray(truth, np.float64)
    above, below = ~(true <= ends[1]), ~(true >= ends[0])  # an end that is NaN covers nothing
    missed = (float(above.any()), float(below.any() and not above.any())) if together else None
    over, under = missed or (float(above.mean()), float((below & ~above).mean()))
    bias = np.asarray(estimate, dtype=np.float64) - true
    return Outcome(over, under, float(np.mean(ends[1] - ends[0])), float(bias.mean()))
