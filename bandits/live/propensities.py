"""Propensities of a policy's choices: by a formula if there is one, else estimated by extra draws.

A log whose propensities are right can be evaluated for other policies. Draws are repeated until the served arm has come
up m times, in n draws. Then n / m is an unbiased estimate of 1 / p, the weight. N draws are the most that are made. If
the arm came up only s < m times in these, the choice itself is counted too, and the weight is (N + 1) / (s + 1). Both
are the mean place of the first of these draws. So p times the mean weight is 1 - (1 - p)^(N + 1), near 1 unless 1 / p
is about N or more (Chao and Strawderman 1972, Negative moments of positive random variables).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.kernels import propensities as kernels
from bandits.kernels.arguments import Hooks, KernelSpec
from bandits.spec import PolicySpec, no_chances, no_propensities
from numerics.kernels.addresses import address_of, entry_of
from numerics.kernels.jit import compile_now
from numerics.random import Purpose, streams

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

TIMES, MOST_DRAWS = 1_000, 1_000_000  # that the served arm comes up in draws, and draws at most ...
_DRAWS = 100_000  # ... and where none was served
_COPIED, _LEAST_DRAWS = 10**9, 10_000  # numbers that all draws copy, as each needs the state; draws of a large one
_ANY = streams(0, (Purpose.PROPENSITY,), 0, 1)  # random numbers that only show whether some are drawn
_kernels: Any = kernels  # which have no types


class Asked(NamedTuple):
    """What is asked for the probabilities of a policy's choices."""

    write: Callable[..., bool]  # `write_propensities`, without a look at the types of its arguments
    addresses: tuple[Hooks, int, int]  # of the hooks that choose, and of both kinds of formulas


def asked_of(spec: PolicySpec) -> Asked:
    """Return what is asked for the probabilities of a policy of compiled hooks."""
    compile_now(_kernels.write_propensities)
    formula, chances = (spec.propensities or no_propensities).compiled, (spec.chances or no_chances).compiled
    addresses = spec.addresses(), address_of(formula), address_of(chances)
    return Asked(entry_of(_kernels.write_propensities), addresses)


@dataclass(frozen=True, eq=False)
class Propensities:
    """The probability of each arm at a choice.

    Attributes
    ----------
    chances : ndarray of float64, shape (K,)
    errors : ndarray of float64, shape (K,)
        Their standard errors, above 0 for estimates; 0 where they are exact, which means within 1e-6.
    """

    chances: Floats
    errors: Floats


def propensities_of(
    asked: Asked,
    given: KernelSpec,
    numbers: Floats,
    counts: Counts,
    step: int,
    make_stream: Callable[[], npt.NDArray[np.uint64]],
    served: int | None = None,
) -> Propensities:
    """Return the probability of each arm at the choice after `step` others.

    Parameters
    ----------
    asked : Asked
        The hooks of a policy, by `asked_of`.
    given : KernelSpec
        Of the same policy, for these arms.
    numbers, counts : ndarray
        The state before the choice, as `bandits.kernels.agent.start_in` lays it out. It is not changed.
    step : int
        Choices before.
    make_stream : callable
        Returns uint64[1, 4] for draws, where they are needed: none of the policy's own.
    served : int, optional
        The arm that was chosen, whose weight the estimate is made for.

    Returns
    -------
    Propensities
    """
    arms = int(counts[0])
    found = np.empty(arms)
    if asked.write(*asked.addresses, given, numbers.copy(), _ANY.copy(), counts.copy(), step, found):
        return Propensities(found, np.zeros(arms))
    tally, (wanted, most) = np.zeros(arms), (-1, _DRAWS) if served is None else (served, MOST_DRAWS)
    most = max(_LEAST_DRAWS, min(most, _COPIED // numbers.size))
    _kernels.count_draws(asked.addresses[0], given, numbers, make_stream(), counts, step, wanted, TIMES, most, tally)
    return shares_of(tally, served, TIMES)


def estimate_by_draws(draw: Callable[[], int], arms: int, served: int | None, times: int, most: int) -> Propensities:
    """Return shares of draws: until the served arm has come up so many times, or `most` draws."""
    tally = np.zeros(arms)
    while tally.sum() < most and (served is None or tally[served] < times):
        tally[draw()] += 1.0
    return shares_of(tally, served, times)


def shares_of(tally: Floats, served: int | None = None, times: int = 0) -> Propensities:
    """Return the shares of draws, and their standard errors.

    The choice of the served arm is one more draw where the arm came up less than `times` times. The errors are those of
    a share with one more draw of each outcome, so that a share of 0 or 1 has an error too (Agresti and Coull 1998).
    """
    if served is not None and tally[served] < times:
        tally = tally + (np.arange(tally.size) == served)
    draws = tally.sum()
    shrunk = (tally + 1.0) / (draws + 2.0)
    return Propensities(tally / draws, np.sqrt(shrunk * (1.0 - shrunk) / draws))
