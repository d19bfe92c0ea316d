"""With which probability a policy chooses each arm: by a formula where it draws, else by draws that are not served.

A log whose propensities are right can be evaluated for other policies. Counting draws of which the served one is one
is biased: an arm of probability p would have a mean weight of 1 - (1 - p)^N in place of 1. Here the served arm is drawn
anew until it has come up m times, in N draws. Then N / m is an unbiased estimate of 1 / p, the weight.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.kernels import propensities as kernels
from bandits.kernels.arguments import KernelSpec
from bandits.spec import PolicySpec, no_chances, no_propensities
from numerics.kernels.addresses import address_of

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

TIMES, MOST_DRAWS = 1_000, 1_000_000  # that the served arm comes up in draws, and draws at most ...
_DRAWS = 100_000  # ... and where none was served
_COPIED, _LEAST_DRAWS = 10**9, 10_000  # numbers that all draws copy, as each needs the state; draws of a large one
_kernels: Any = kernels  # which have no types


@dataclass(frozen=True, eq=False)
class Propensities:
    """The probability of each arm at a choice.

    Attributes
    ----------
    chances : ndarray of float64, shape (K,)
    errors : ndarray of float64, shape (K,)
        Their standard errors; 0 where they are exact, which means within 1e-6.
    """

    chances: Floats
    errors: Floats


def propensities_of(
    spec: PolicySpec,
    given: KernelSpec,
    numbers: Floats,
    counts: Counts,
    step: int,
    stream: npt.NDArray[np.uint64],
    served: int | None = None,
) -> Propensities:
    """Return the probability of each arm at the choice after `step` others.

    Parameters
    ----------
    spec : PolicySpec
        Of compiled hooks.
    given : KernelSpec
        Of the same policy, for these arms.
    numbers, counts : ndarray
        The state before the choice, as `bandits.kernels.agent.start_in` lays it out. It is not changed.
    step : int
        Choices before.
    stream : ndarray of uint64, shape (1, 4)
        For draws, where they are needed: none of the policy's own. It is not changed.
    served : int, optional
        The arm that was chosen, whose weight the estimate is made for.

    Returns
    -------
    Propensities
    """
    arms = int(counts[0])
    formula, chances = (spec.propensities or no_propensities).compiled, (spec.chances or no_chances).compiled
    hooks, found, drawn = spec.addresses(), np.empty(arms), stream.copy()
    copies = numbers.copy(), drawn, counts.copy()
    if _kernels.write_propensities(hooks, address_of(formula), address_of(chances), given, *copies, step, found):
        return Propensities(found, np.zeros(arms))
    tally, (asked, most) = np.zeros(arms), (-1, _DRAWS) if served is None else (served, MOST_DRAWS)
    most = max(_LEAST_DRAWS, min(most, _COPIED // numbers.size))
    _kernels.count_draws(hooks, given, numbers, stream.copy(), counts, step, asked, TIMES, most, tally)
    return shares_of(tally)


def estimate_by_draws(draw: Callable[[], int], arms: int, served: int | None, times: int, most: int) -> Propensities:
    """Return shares of draws: until the served arm has come up so many times, or `most` draws."""
    tally = np.zeros(arms)
    while tally.sum() < most and (served is None or tally[served] < times):
        tally[draw()] += 1.0
    return shares_of(tally)


def shares_of(tally: Floats) -> Propensities:
    """Return the shares of draws, and their standard errors."""
    chances = tally / tally.sum()
    return Propensities(chances, np.sqrt(chances * (1.0 - chances) / tally.sum()))
