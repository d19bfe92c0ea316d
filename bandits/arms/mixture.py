"""Arms of several laws in one bandit."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from bandits.arms.base import ARMS, Arms, Floats, list_means
from bandits.hooks import RewardLaw, compiled_form
from bandits.kernels.signatures import SIGNATURES
from numerics.kernels.jit import compile_now, kernel
from numerics.kernels.pointers import array_at, at, pointer
from numerics.parameters import parameter

_KIND, _first, _rest = (
    0.0,
    None,
    None,
)  # globals of `_pay_either`, which `_choose_parameters` copies for each pair of laws


def _pay_either(uniform, mean, arm, params, reward):
    """Pay the arms whose last number is `_KIND` by the law `_first`, the others by `_rest`."""
    last = at(params.shape[1] - 1)
    for r in range(reward.size):
        u, m, a, paid = (
            array_at(pointer(uniform, r), 1),
            array_at(pointer(mean, r), 1),
            array_at(pointer(arm, r), 1),
            array_at(pointer(reward, r), 1),
        )
        if params[at(arm[r]), last] == _KIND:
            _first(u, m, a, params, paid)
        else:
            _rest(u, m, a, params, paid)


class MixedLaw(RewardLaw):
    """Several laws combined: the last number of an arm's row is the index of its law, counted from the end."""

    def __init__(self, laws: tuple[RewardLaw, ...]):
        super().__init__(_pay_either, unit=all(law.unit for law in laws))
        self.parts = laws

    def __reduce__(self) -> tuple[Any, ...]:
        return (MixedLaw, (self.parts,))

    @property
    def path(self) -> str:
        return " and ".join(law.path for law in self.parts)

    @property
    def is_ours(self) -> bool:
        return all(law.is_ours for law in self.parts)

    @property
    def constants(self) -> tuple[Any, ...]:
        return tuple(law.constants for law in self.parts)

    @compiled_form
    def compiled(self) -> Any:
        """The compiled hook: a choice between the first law and the rest, itself a combined law."""
        laws = [law.compiled for law in self.parts]
        names = [law.function.__name__ for law in self.parts]
        file = None if self.is_ours else os.devnull
        paid = laws.pop()
        for kind, law in enumerate(reversed(laws), 1):
            paid = compile_now(_choose_parameters(law, paid, kind, "_or_".join(names[-kind - 1 :]), file))
        return paid


def _choose_parameters(first: Any, rest: Any, kind: int, name: str, file: str | None) -> Any:
    form: Any = _pay_either
    copy: Any = FunctionType(form.__code__, {**globals(), "_first": first, "_rest": rest, "_KIND": float(kind)}, name)
    copy.__module__, copy.__qualname__ = __name__, name
    made: Callable[..., Any] = kernel(SIGNATURES["law"], file=file)(copy)
    return made


def _parts(name: str, value: Any) -> tuple[Arms, ...]:
    if isinstance(value, str | bytes | Mapping) or not np.iterable(value):
        raise ValueError(f"{name} must be a list of arms, such as [Bernoulli([0.4]), Gaussian([0.5])]; got {value!r}")
    arms: list[Arms] = []
    for index, part in enumerate(value):
        key = f"{name}[{index}]"
        part = ARMS.of(part, key)
        if part.fixed_means is None:
            raise ValueError(f"{key} must be arms with fixed means; got {part.describe()}")
        arms += part.parts if isinstance(part, Mixture) else [part]
    if not arms:
        raise ValueError(f"{name} must hold at least 2 arms; got none")
    return tuple(arms)


class Mixture(Arms, name="mixture"):
    """Arms of several laws in one bandit: the arms of its parts, one part after another.

    Parameters
    ----------
    parts : sequence of Arms
        Arms of fixed means; here a part may be a single arm. In a configuration each part is a node, such as
        ``{name: beta, means: [0.5], concentration: 4}``.

    Raises
    ------
    ValueError
        Parts that are not arms, or whose means are drawn in every replication.

    Examples
    --------
    >>> from bandits import Bernoulli, Beta, Gaussian
    >>> Mixture([Bernoulli([0.4]), Beta([0.5, 0.3], concentration=4)]).describe()
    '3 arms of 2 kinds, means 0.4, 0.5, 0.3: 1 Bernoulli arm, mean 0.4; 2 Beta arms, means 0.5, 0.3, concentration 4'
    >>> Mixture([Gaussian([0.0], scale=1.0), Gaussian([0.2], scale=3.0)]).law_class
    'Gaussian arms'
    """

    listed_in = "parts"
    parts: Sequence[Arms] = parameter(
        check=_parts, help="arms of fixed means, one part after another, such as {name: beta, means: [0.5]}"
    )

    @functools.cached_property
    def _laws(self) -> tuple[RewardLaw, ...]:
        """The distinct laws, in an order that does not depend on the order of the parts."""
        return tuple(sorted({part.reward_law for part in self.parts}, key=lambda law: law.path))

    @functools.cached_property
    def reward_law(self) -> RewardLaw:
        return self._laws[0] if len(self._laws) == 1 else MixedLaw(self._laws)

    @functools.cached_property
    def law_params(self) -> Floats:
        rows = [part.law_params for part in self.parts]
        table = np.zeros((self.count, max(numbers.shape[1] for numbers in rows) + (len(self._laws) > 1)))
        first = 0
        for part, numbers in zip(self.parts, rows, strict=True):
            last = first + len(numbers)
            if len(self._laws) > 1:
                table[first:last, -1] = len(self._laws) - 1 - self._laws.index(part.reward_law)
            table[first:last, : numbers.shape[1]] = numbers
            first = last
        return table

    @functools.cached_property
    def fixed_means(self) -> tuple[float, ...] | None:
        return tuple(mean for part in self.parts for mean in part.fixed_means or ())

    @property
    def reward_range(self) -> tuple[float, float]:
        ends = [part.reward_range for part in self.parts]
        return min(low for low, _ in ends), max(high for _, high in ends)

    @property
    def names(self) -> tuple[str, ...]:
        kinds = [part.kind for part in self.parts for _ in range(part.count)]
        return tuple(f"{arm} {kind}".strip() for arm, kind in enumerate(kinds))

    def distribution(self, arm: int) -> tuple[Floats, Floats] | None:
        for part in self.parts:
            if arm < part.count:
                return part.distribution(arm)
            arm -= part.count
        raise IndexError(arm)

    @property
    def law_class(self) -> str:
        return super().law_class if self.reward_law.divergence is None else self.parts[0].law_class

    @property
    def no_bound(self) -> str:  # type: ignore[override]
        """Why they have no lower bound, if they have none."""
        if self.divergence(np.arange(self.count), min(self.fixed_means or ())) is not None:
            return ""
        return "No lower bound is known for these arms of different kinds."

    def probe_law(self) -> None:
        for part in self.parts:
            part.probe_law()

    def describe(self) -> str:
        assert self.fixed_means is not None
        several = "s" if len(self._laws) > 1 else ""
        line = f"{self.count} arms of {len(self._laws)} kind{several}, means {list_means(self.fixed_means)}"
        return f"{line}: {'; '.join(part.describe() for part in self.parts)}"
