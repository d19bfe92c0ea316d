"""A policy with its state in a running program: the simulation's hooks, called one choice at a time.

An engine numbers its arms 0 to K - 1. It knows neither their names nor which choices still wait for a reward: see
`bandits.live.agent`.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.hooks import ChoiceRule, PlainRule
from bandits.kernels import agent as kernels
from bandits.live.propensities import Asked, Propensities, asked_of, estimate_by_draws, propensities_of
from bandits.plain import PlainPlay
from bandits.policies.base import Policy
from bandits.policies.custom import Custom
from bandits.spec import PolicySpec, refuse_nan
from numerics.kernels.addresses import entry_of
from numerics.kernels.jit import compile_now
from numerics.kernels.users import user_errors

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]

_MOST_COPIED = 2**13  # numbers of a state that every choice copies, 64 KiB; of a larger one only the last choice's stay
_DRAWN = 100  # times that a class's arm comes up in draws that estimate its propensity ...
_MOST_DRAWS = 10_000  # ... and the most draws
_ROWS = [0, 1, 2, 3, 4, 6]  # of the statistics of arms: all but the widths, which follow from the pulls ...
_NAMES = ["pulls", "sums", "origins", "squares", "means", "variances"]  # ... and their names in a file


class CompiledEngine:
    """A policy of compiled hooks.

    Parameters
    ----------
    policy : Policy
        Not a plain class's.
    arms : int
        K.
    stream : ndarray of uint64, shape (1, 4)
        The rule's own; it advances in place.
    horizon : int
        T, or 0 for a policy that needs none.
    features : int
        d, of a policy that sees features.
    """

    def __init__(self, policy: Policy, arms: int, stream: Words, horizon: int, features: int):
        self.policy, self.arms, self.horizon, self.sees = policy, arms, horizon, features
        self.spec = policy.spec()
        self.numbers_of_rule = self.spec.kernel_spec(horizon, arms, features)
        self.hooks = self.spec.addresses()
        for each in (kernels.start_in, kernels.choose_in, kernels.update_in):
            compile_now(each)
        given = self.numbers_of_rule
        self.first = 9 * arms + given.params.size  # of the memory
        self.rows = given.memory + given.arm_memory * arms
        self.numbers, self.counts = np.zeros(self.first + self.rows + 1), np.zeros(kernels.COUNTS, np.int64)
        self.stream = stream
        start: Any = kernels.start_in
        start(given, arms, stream, self.numbers, self.counts)
        self._choose, self._update = entry_of(kernels.choose_in), entry_of(kernels.update_in)
        self._kept = slice(self.first, self.first + given.kept_rows)
        self.keeps: bool = given.kept_rows > 0
        self.own_rows: int = given.kept_rows - (1 + self.sees if self.sees else 0)  # of these, all but the features
        self.learns_chances: bool = self.own_rows > 0 and not isinstance(policy, Custom)  # those of its choices
        self._copies = self.numbers.size <= _MOST_COPIED
        self._exploring, self._counted = True, b""  # whether arms have too few rewards; the counts at the last choice
        self._last, self._serial = (None if self._copies else self.numbers.copy()), 0

    def choose(self, step: int, features: Floats | None) -> tuple[int, Any, bytes]:
        """Return the arm of the choice after `step` others, the state before it, and what its reward will need."""
        if self.sees or self._exploring or not self._copies:
            before = self.before(features)
        else:  # what `before` does, without a call
            before = self.numbers.tobytes(), self._counted
        try:
            arm = self._choose(self.hooks, self.numbers_of_rule, self.numbers, self.stream, self.counts, step)
        except Exception as error:
            with user_errors(self.spec.hooks):
                raise error
        if arm < 0:
            refuse_nan(self.policy.name, step + 1)
        return arm, before, self.numbers[self._kept].tobytes() if self.keeps else b""

    def reweighted(self, kept: bytes, chosen: int, shown: int, chances: Floats, mixed: Floats) -> bytes:
        """Return what the reward of a choice needs if arms are shown with other probabilities than the policy's.

        A policy keeps the probability of its arm, to which it may have added a number, or those of all arms.
        """
        rows = np.frombuffer(kept).copy()
        rows[-self.own_rows :] += mixed - chances if self.own_rows == self.arms else mixed[shown] - chances[chosen]
        return rows.tobytes()

    def update(self, arm: int, reward: float, kept: bytes) -> None:
        """Count a reward, given what its choice kept."""
        if kept:
            self.numbers[self._kept] = np.frombuffer(kept)
        try:
            self._update(self.hooks, self.numbers_of_rule, self.numbers, self.stream, self.counts, arm, reward)
        except Exception as error:
            with user_errors(self.spec.hooks):
                raise error

    def check_kept(self, kept: bytes) -> None:
        """Raise ValueError for what no choice has kept."""
        rows = np.frombuffer(kept)
        if rows.size != self.numbers_of_rule.kept_rows or (self.learns_chances and not (rows >= 0.0).all()):
            raise ValueError(f"kept must be {self.numbers_of_rule.kept_rows} numbers; got {rows}")

    def before(self, features: Floats | None) -> Any:
        """Return the state before the next choice."""
        if self.sees:
            self.numbers[self.first] = self.sees
            self.numbers[self.first + 1 : self.first + 1 + self.sees] = features
        if self._exploring:
            self._exploring, self._counted = bool(self.counts[4]), self.counts.tobytes()
        if self._copies:
            return self.numbers.tobytes(), self._counted
        assert self._last is not None
        self._last[:] = self.numbers
        self._serial += 1
        return self._serial, self._counted

    @functools.cached_property
    def _asked(self) -> Asked:
        return asked_of(self.spec)

    def propensities(
        self, before: Any, step: int, make_stream: Callable[[], Words], served: int | None
    ) -> Propensities:
        """Return each arm's probability at a choice, whose state before it is given.

        Raises
        ------
        ValueError
            The state is so large that only the last choice's is kept, and this is another's.
        """
        numbers, counts = before
        if isinstance(numbers, int):
            if numbers != self._serial:
                raise ValueError(
                    f"the propensity must be read before the next choice; {self.policy.name} stores "
                    f"{self.numbers.size:,} numbers, and only the last state is kept"
                )
            assert self._last is not None
            state = self._last
        else:
            state = np.frombuffer(numbers).copy()
        whole = np.frombuffer(counts, np.int64).copy()
        return propensities_of(self._asked, self.numbers_of_rule, state, whole, step, make_stream, served)

    def mark(self) -> Any:
        """Return a copy of the whole state, for `rewind`."""
        return self.numbers.tobytes(), self.counts.tobytes(), self.stream.tobytes()

    def rewind(self, mark: Any) -> None:
        """Return to a state."""
        numbers, counts, stream = mark
        self.numbers[:], self.counts[:] = np.frombuffer(numbers), np.frombuffer(counts, np.int64)
        self.stream[:] = np.frombuffer(stream, np.uint64)
        self._exploring = True

    # ------------------------------------------------------------ statistics of arms

    @property
    def keeps_more(self) -> str:
        """Why its arms cannot change, as a sentence ends: what it keeps beside their statistics; else empty."""
        if self.policy.limits is not None:
            return f"is defined only for {self.policy.limits}"
        if self.spec.plan is not None:
            return "plans for its arms and horizon"
        if self.rows:
            return "stores more than statistics of its arms"
        return ""

    def column(self, arm: int) -> Floats:
        """Return what is known of an arm: pulls, sum, origin, squares, estimate, variance."""
        known: Floats = self.numbers[: 9 * self.arms].reshape(9, -1)[_ROWS, arm]
        return known

    def write_column(self, arm: int, known: Floats) -> None:
        """Write what is known of an arm, in place of what was."""
        table = self.numbers[: 9 * self.arms].reshape(9, -1)
        table[_ROWS, arm] = known
        table[5, arm] = 1.0 / math.sqrt(known[0]) if known[0] > 0.0 else math.inf
        self._exploring = True
        self.counts[4] = np.count_nonzero(table[0] < self.spec.estimates.explore)

    def counted(self, pulls: float, total: float) -> Floats:
        """Return what is known of an arm that has had so many pulls and successes, as `write_column` takes it."""
        e = self.spec.estimates
        weight = e.prior_pulls + pulls
        mean = (e.prior_pulls * e.initial + total) / weight if weight > 0.0 else e.initial
        spread = (pulls * total - total * total) / (pulls * pulls) if pulls > 0.0 else 0.0
        variance = max(spread, 0.0) if self.numbers_of_rule.needs_variances else math.nan
        return np.array([pulls, total, 0.0, total, mean, variance])

    def resized(self, columns: Sequence[Floats | None]) -> CompiledEngine:
        """Return an engine of other arms, given what is known of each, or None of a new one."""
        other = CompiledEngine(self.policy, len(columns), self.stream, self.horizon, self.sees)
        for arm, known in enumerate(columns):
            if known is not None:
                other.write_column(arm, known)
        return other

    # ------------------------------------------------------------ as texts

    def as_json(self) -> dict[str, Any]:
        """Return the state as JSON holds it."""
        table = self.numbers[: 9 * self.arms].reshape(9, -1)
        written: dict[str, Any] = {name: numbers_to_json(table[row]) for name, row in zip(_NAMES, _ROWS, strict=True)}
        memory = self.numbers[self.first : self.first + self.rows]
        return {**written, "memory": numbers_to_json(memory), "random": words_to_json(self.stream)}

    def restore(self, written: dict[str, Any]) -> None:
        """Return to the state that `as_json` wrote."""
        table = np.stack([numbers_of_json(written[name]) for name in _NAMES])
        for arm in range(self.arms):
            self.write_column(arm, table[:, arm])
        self.numbers[self.first : self.first + self.rows] = numbers_of_json(written["memory"])
        self.stream[:] = words_of_json(written["random"])


class PlainEngine:
    """A class of a user's own, through its `choose` and `update`."""

    def __init__(self, policy: Policy, arms: int, stream: Words, horizon: int, features: int):
        self.policy, self.arms, self.sees, self.keeps = policy, arms, features, features > 0
        self.own_rows, self.learns_chances, self.spec = 0, False, policy.spec()
        self.played = PlainPlay(self.spec, [int(word) for word in stream[0]], arms, horizon)

    def choose(self, step: int, features: Floats | None) -> tuple[int, Any, bytes]:
        """Return the arm of the choice after `step` others, the state before it, and what its reward will need."""
        before = self.before(features)
        self.played.t = step + 1
        arm = self.played.choose(*self._seen(features))
        return arm, before, b"" if features is None else features.tobytes()

    def update(self, arm: int, reward: float, kept: bytes) -> None:
        """Count a reward, given what its choice kept."""
        self.played.update(arm, reward, *((np.frombuffer(kept).copy(),) if self.sees else ()))

    def check_kept(self, kept: bytes) -> None:
        """Raise ValueError for what no choice has kept."""
        if np.frombuffer(kept).size != self.sees:
            raise ValueError(f"kept must be {self.sees} numbers")

    def before(self, features: Floats | None) -> Any:
        """Return the state before the next choice."""
        with contextlib.suppress(Exception):  # of an object that cannot be copied
            return copy.deepcopy(self.played), None if features is None else features.copy()
        return None

    def propensities(
        self, before: Any, step: int, make_stream: Callable[[], Words], served: int | None
    ) -> Propensities:
        """Return shares of draws of copies of the object, each with a generator of its own.

        Raises
        ------
        ValueError
            The object cannot be copied.
        """
        if before is None:
            raise ValueError(
                f"the propensity of {self.spec.rule.who} cannot be estimated: its objects cannot be copied (deepcopy)"
            )
        played, features = before
        played.t = step + 1
        seeds = iter(np.random.SeedSequence([int(word) for word in make_stream()[0]]).spawn(_MOST_DRAWS))

        def draw() -> int:
            drawn: PlainPlay = copy.deepcopy(played, {id(played.rng): np.random.default_rng(next(seeds))})
            return drawn.choose(*self._seen(features))

        return estimate_by_draws(draw, self.arms, served, _DRAWN, _MOST_DRAWS)

    def _seen(self, features: Floats | None) -> tuple[Floats, ...]:
        return () if features is None or not self.sees else (features.copy(),)

    def mark(self) -> Any:
        """Return a copy of the whole state, for `rewind`."""
        return copy.deepcopy(self.played)

    def rewind(self, mark: Any) -> None:
        """Return to a state."""
        self.played = mark


def engine_of(policy: Policy, arms: int, stream: Words, horizon: int, features: int) -> Any:
    """Return the engine of a policy."""
    kind = PlainEngine if isinstance(policy.spec().rule, PlainRule) else CompiledEngine
    return kind(policy, arms, stream, horizon, features)


def needs_horizon(spec: PolicySpec) -> bool:
    """Return whether a policy must know how many choices there will be."""
    rule = spec.rule
    if isinstance(rule, PlainRule):
        return "horizon" in rule.names
    keeps = isinstance(rule, ChoiceRule) and rule.pull_memory > 0
    return "horizon" in rule.needs or spec.plan is not None or callable(spec.memory) or keeps


def numbers_to_json(values: Floats) -> list[Any]:
    """Return numbers as JSON has them, and others, which it has not, as words.

    Examples
    --------
    >>> numbers_to_json(np.array([0.5, np.inf]))
    [0.5, 'inf']
    """
    return [value if math.isfinite(value) else str(value) for value in values.tolist()]


def numbers_of_json(values: Sequence[Any]) -> Floats:
    """Return what `numbers_to_json` wrote."""
    return np.array([float(value) for value in values], dtype=np.float64)


def words_to_json(stream: Words) -> list[str]:
    """Return the words of a stream as texts, since JSON's numbers lose digits in most programs."""
    return [f"{int(word):016x}" for word in stream.ravel()]


def words_of_json(texts: Sequence[str]) -> Words:
    """Return what `words_to_json` wrote."""
    return np.array([int(text, 16) for text in texts], dtype=np.uint64)
