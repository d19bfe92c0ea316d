"""A claim: a printed interval covers the truth at its nominal rate, or a test errs at most at its nominal rate."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

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
    """A claim, the command that prints it, a simulation of an experiment, and where it may fail.

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
    about : bool
        Whether the coverage must not exceed `nominal` either. Most methods cover more by construction: Clopper and
        Pearson's, a correction for continuity, the farther of two ends.
    family : mapping of str to callable
        The settings among which the lowest coverage is looked for, such as "gap 0.3, horizon 1,000", each with a
        simulation like `simulate`; see `family_of`.
    family_sizes : tuple of int
        The sizes at which the family is looked at; `sizes` if empty.
    really : float, optional
        What the claim covers everywhere in its family, where that is less than `nominal`; a test's largest error rate.
    """

    name: str
    command: str
    simulate: Simulate
    unit: str = "replications"
    sizes: tuple[int, ...] = (20, 100, 1_000)
    nominal: float = 0.95
    test: bool = False
    about: bool = False
    family: Mapping[str, Simulate] = field(default_factory=dict)
    family_sizes: tuple[int, ...] = ()
    really: float | None = None

    @property
    def bound(self) -> str:
        """How the measured rate relates to the nominal one: "at least", "at most", or "" for about equal."""
        return AT_MOST if self.test else "" if self.about else AT_LEAST

    @property
    def key(self) -> int:
        """A number computed from the name, for random streams and file names."""
        return _number(self.name)

    @property
    def settings(self) -> list[tuple[str, int]]:
        """Every setting of the family, at every size."""
        return list(itertools.product(self.family, self.family_sizes or self.sizes))

    def outcome(self, size: int, seed: int, index: int, setting: str | None = None, again: bool = False) -> Outcome:
        """Return the outcome of experiment `index`, which has a separate random stream.

        With a `setting`, it is an experiment in that setting of the family; those made `again` have other streams.
        """
        stream = [seed, self.key, size, index]
        if setting is None:
            return self.simulate(size, np.random.default_rng(stream))
        return self.family[setting](size, np.random.default_rng([*stream, _number(setting), int(again)]))

    def allowed(self, runs: int) -> tuple[float, float]:
        """Return the range in which the rate measured by `runs` experiments must lie.

        With 2,000 experiments or more, coverage must be at most half a percentage point below the nominal rate. For a
        method that claims approximate coverage, it must be within 1.5 points of that rate. The error rate of a test
        must be at most two standard errors above its nominal rate. With fewer experiments, the points grow like
        standard errors.
        """
        room = _room(runs)
        if self.test:
            return 0.0, self.nominal + 2.0 * float(np.sqrt(self.nominal * (1.0 - self.nominal) / runs))
        if self.about:
            return self.nominal - MARGIN * room, self.nominal + MARGIN * room
        return self.nominal - BELOW * room, 1.0

    def allowed_anywhere(self, runs: int) -> tuple[float, float]:
        """Return the range in which the rate must lie in every setting of the family.

        That is up to 1.5 points on the wrong side of the nominal rate, or half a point of what is `really` covered.
        """
        nominal, room = (self.nominal, MARGIN) if self.really is None else (self.really, BELOW)
        room *= _room(runs)
        return (0.0, nominal + room) if self.test else (nominal - room, 1.0)


def _room(runs: int) -> float:
    return max(1.0, float(np.sqrt(RUNS / runs)))


def _number(words: str) -> int:
    return zlib.crc32(words.encode())


def family_of(simulate: Callable[..., Outcome], **settings: Iterable[Any]) -> dict[str, Simulate]:
    """Return the simulation at every combination of some settings, by words such as "gap 0.1, horizon 1,000".

    Parameters
    ----------
    simulate : callable
        (size, generator, **setting) -> Outcome
    **settings : iterable
        The values of each keyword.

    Examples
    --------
    >>> list(family_of(lambda size, rng, rate, games_each: Outcome(0.0), rate=[0.5, 0.9], games_each=[1_000]))
    ['rate 0.5, games each 1,000', 'rate 0.9, games each 1,000']
    """
    family: dict[str, Simulate] = {}
    for values in itertools.product(*settings.values()):
        setting = dict(zip(settings, values, strict=True))
        words = ", ".join(f"{name.replace('_', ' ')} {_said(value)}" for name, value in setting.items())

        def at(size: int, rng: np.random.Generator, setting: dict[str, Any] = setting) -> Outcome:
            return simulate(size, rng, **setting)

        family[words] = at
    return family


def _said(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(_said(part) for part in value)
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)


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
