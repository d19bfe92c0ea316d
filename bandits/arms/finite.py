"""Arms that pay finitely many values with given probabilities."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from bandits.arms.base import Arms, Floats, list_means, rows_of
from bandits.rules import reward_law
from numerics.kernels.pointers import at
from numerics.parameters import parameter

_OFF = 1e-6  # allowed deviation of the sum of probabilities from 1, for probabilities of six digits
_WRITTEN = 24  # most values that a description lists


def _distribution(mean: float, params: Floats) -> tuple[Floats, Floats]:
    count = int(params[0])
    return params[1 + count : 1 + 2 * count], np.diff(params[1 : 1 + count], prepend=0.0)


@reward_law(distribution=_distribution)
def finite(uniform, mean, arm, params, reward):
    """The least value whose distribution function exceeds the uniform, by bisection.

    An arm's row of `params` is n, the n values of its distribution function, and the n values that it pays.
    """
    for r in range(reward.size):
        a, u = at(arm[r]), uniform[r]
        count = int(params[a, 0])
        low, high = 1, count
        while low < high:
            middle = (low + high) // 2
            if u < params[a, at(middle)]:
                high = middle
            else:
                low = middle + 1
        reward[r] = params[a, at(low + count)]


def _rows(name: str, value: Any, low: float = -math.inf, high: float = math.inf) -> tuple[tuple[float, ...], ...]:
    rows = rows_of(name, value, low, high)
    if not rows or not all(rows):
        raise ValueError(f"{name} must hold at least 1 number for each arm; got {value!r}")
    return rows


class Finite(Arms, name="finite"):
    """Arms that pay values of a list with given probabilities: any finite law, such as that of a sample.

    Parameters
    ----------
    values : sequence of sequence of float
        The values of each of the K >= 2 arms; a single list serves all arms.
    probabilities : sequence of sequence of float, optional
        The probability of each value; for each arm they sum to 1. By default the values are equally probable.

    Raises
    ------
    ValueError
        Different numbers of values and probabilities, or probabilities that do not sum to 1.

    Examples
    --------
    >>> Finite([[0.0, 1.0], [0.5]], [[0.7, 0.3], [1.0]]).describe()
    '2 arms of finite laws, means 0.3, 0.5, values (probabilities) 0 (0.7), 1 (0.3); 0.5 (1)'
    >>> Finite([[2.0, 3.0, 7.0], [1.0, 4.0]]).fixed_means
    (4.0, 2.5)
    """

    kind = "finite"
    reward_law = finite
    listed_in = "values"
    values: Sequence[Sequence[float]] = parameter(
        check=_rows, help="the possible rewards: a list for all arms, or one for each arm"
    )
    probabilities: Sequence[Sequence[float]] | None = parameter(
        None,
        check=lambda name, value: _rows(name, value, 0.0, 1.0),
        help="the probability of each value: a list for all arms, or one for each arm; by default equal",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._laws  # noqa: B018 (checks the arguments)

    @functools.cached_property
    def _laws(self) -> list[list[tuple[float, float]]]:
        """The values of each arm, in order, with weights in proportion to their probabilities."""
        values, given = self.values, self.probabilities or [[1.0] * len(row) for row in self.values]
        count, laws = max(len(values), len(given)), []
        for name, rows in (("values", values), ("probabilities", given)):
            if len(rows) not in (1, count):
                raise ValueError(f"{name} must be one list, or a list for each of {count} arms; got {len(rows)} lists")
        for arm in range(count):
            row, chances = values[arm % len(values)], given[arm % len(given)]
            name = f"probabilities[{arm}]" if len(given) > 1 else "probabilities"
            if len(chances) != len(row):
                raise ValueError(f"{name} must have {len(row)} numbers, as the values of arm {arm}; got {len(chances)}")
            if self.probabilities is not None and abs(math.fsum(chances) - 1.0) > _OFF:
                raise ValueError(f"{name} must sum to 1; got {math.fsum(chances):g}")
            laws.append(sorted(zip(row, chances, strict=True)))
        return laws

    @functools.cached_property
    def law_params(self) -> Floats:
        rows = np.zeros((len(self._laws), 1 + 2 * max(map(len, self._laws))))
        for row, law in zip(rows, self._laws, strict=True):
            values, weights = np.array(law).T
            reached = np.cumsum(weights) / weights.sum()
            row[: 1 + 2 * len(law)] = len(law), *reached[:-1], 1.0, *values
        return rows

    @functools.cached_property
    def fixed_means(self) -> tuple[float, ...] | None:
        return tuple(
            math.fsum(value * weight for value, weight in law) / math.fsum(weight for _, weight in law)
            for law in self._laws
        )

    @property
    def reward_range(self) -> tuple[float, float]:
        paid = [value for law in self._laws for value, weight in law if weight > 0.0]
        return min(paid), max(paid)

    def describe(self) -> str:
        assert self.fixed_means is not None
        several = "s" if self.count > 1 else ""
        line = f"{self.count} arm{several} of finite laws, mean{several} {list_means(self.fixed_means)}"
        count = sum(map(len, self._laws))
        if count > _WRITTEN:
            low, high = self.reward_range
            return f"{line}, {count} values from {low:g} to {high:g}"
        totals = [math.fsum(weight for _, weight in law) for law in self._laws]
        laws = (
            ", ".join(f"{value:g} ({weight / total:.4g})" for value, weight in law)
            for law, total in zip(self._laws, totals, strict=True)
        )
        return f"{line}, values (probabilities) {'; '.join(laws)}"
