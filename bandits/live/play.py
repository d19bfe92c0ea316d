"""A policy at play on arms that have names, come and go, and may have a least probability.

The same description, and the same calls in the same order, give the same state to the last bit. So a journal needs to
keep the calls alone. Nothing here knows which choices still wait for a reward.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.live.description import Arm, Description, names_of, some_of
from bandits.live.engine import (
    CompiledEngine,
    engine_of,
    numbers_of_json,
    numbers_to_json,
    words_of_json,
    words_to_json,
)
from numerics import checks
from numerics.random import Purpose, draw_uniform, streams

Floats = npt.NDArray[np.float64]


State = tuple[Any, Any, tuple[int, ...], tuple[int, ...] | None, int | None, int]
"""What the probabilities of a choice are computed from.

These are the engine and its state before the choice; the indices of its arms; those of all arms that may be chosen,
where some are new or all have a least probability, else None; the new arm that is chosen but for that, or None; the
number of choices before. A plain tuple is made in a tenth of a named one's time.
"""


class Play:
    """A policy at play.

    Parameters
    ----------
    description : Description

    Attributes
    ----------
    arms : list of str or int
        All arms that there are, or were; their indices are their places.
    step : int
        How many choices there were.
    """

    def __init__(self, description: Description):
        self.description: Description = description
        self.agent: str = ""  # the name of one in a database
        self.arms: list[Arm] = list(description.arms)
        self.step: int = 0
        count, seed, run = len(self.arms), description.seed, description.run
        stream = streams(seed, (Purpose.POLICY,), run, 1)
        self._coin = streams(seed, (Purpose.FLOOR,), run, 1)
        self.engine: Any = engine_of(
            description.policy, count, stream, description.horizon or 0, description.features or 0
        )
        self._columns: tuple[int, ...] = tuple(range(count))
        self._column_of: dict[int, int] = {index: index for index in range(count)}
        self._new: dict[int, list[float]] = {}  # arms that the policy does not know yet: choices, then their rewards
        self._retired: dict[int, tuple[Any, list[float]]] = {}  # what was known of arms that left; later rewards
        self._floor, self._horizon, self._scale = description.floor, description.horizon, description.scale

    @property
    def retired(self) -> list[Arm]:
        """The arms that are not chosen any more."""
        return [self.arms[index] for index in self._retired]

    def choose(self, seen: Floats | None) -> tuple[int, State, bytes]:
        """Return the index of the next arm, what its probability is computed from, and what its reward will need.

        Raises
        ------
        ValueError
            All choices of the horizon are made, or a user's rule fails.
        """
        step, engine, columns = self.step, self.engine, self._columns
        if self._horizon is not None and step >= self._horizon:
            raise ValueError(f"horizon must be higher: the agent has made all {self._horizon:,} choices")
        arm, before, kept = engine.choose(step, seen)
        self.step = step + 1
        if not self._new and not self._floor:
            return columns[arm], (engine, before, columns, None, None, step), kept
        first, active = self._first, (*columns, *self._new)
        index = columns[arm] if first is None else first
        if self._floor:
            uniform: Any = draw_uniform
            u, share = uniform(self._coin, 0), self._floor * len(active)
            if u < share:
                index = active[min(int(u / share * len(active)), len(active) - 1)]
            if engine.learns_chances:
                own = engine.propensities(before, step, self._draws(step), None).chances
                kept = engine.reweighted(kept, arm, columns.index(index), own, self._floor + (1.0 - share) * own)
        if index in self._new:
            self._new[index][0] += 1
        return index, (engine, before, columns, active, first, step), kept

    def learn(self, index: int, reward: float, kept: bytes) -> None:
        """Have the policy learn the reward of a choice, given the arm's index and what the choice kept."""
        if self._scale is not None:
            low, high = self._scale
            reward = (reward - low) / (high - low)
        column = self._column_of.get(index)
        if column is not None:
            self.engine.update(column, reward, kept)
        elif index in self._new:
            self._new[index].append(reward)
            self._admit(index)
        else:
            self._retired[index][1].append(reward)

    # ------------------------------------------------------------ propensities

    def next_state(self) -> State:
        """Return what the probabilities of the next choice are computed from, of a policy that sees no features."""
        active = (*self._columns, *self._new) if self._new or self._floor else None
        return self.engine, self.engine.before(None), self._columns, active, self._first, self.step

    def chances(self, state: State, served: int | None) -> tuple[Floats, float]:
        """Return the probability of every arm at a choice, and the standard error of that of the served one."""
        engine, before, columns, active, first, step = state
        chances, error = np.zeros(len(self.arms)), 0.0
        if first is not None:
            chances[first] = 1.0
        else:
            asked = columns.index(served) if served in columns else None
            found = engine.propensities(before, step, self._draws(step), asked)
            chances[list(columns)] = found.chances
            error = 0.0 if asked is None else float(found.errors[asked])
        if active is not None:
            share = self._floor * len(active)
            chances *= 1.0 - share
            chances[list(active)] += self._floor
            error *= 1.0 - share
        return chances, error

    def _draws(self, step: int) -> Callable[[], npt.NDArray[np.uint64]]:
        """Return what makes the stream of draws that estimate propensities of a choice."""
        seed, run = self.description.seed, self.description.run
        return lambda: streams(seed, (Purpose.PROPENSITY, run), step, 1)

    # ------------------------------------------------------------ arms that come and go

    def add_arm(self, arm: Any) -> int:
        """Add an arm, or bring one back, and return its index.

        Raises
        ------
        ValueError
            As `Agent.add_arm` says.
        """
        (name,) = names_of("arm", [arm])
        index = self.arms.index(name) if name in self.arms else len(self.arms)
        if index < len(self.arms) and index not in self._retired:
            raise ValueError(f"arm must be new or retired; got {name!r}")
        self.check_statistics("add_arm")
        if self._floor * (len(self._columns) + len(self._new) + 1) > 1.0:
            raise ValueError(
                f"arm must not make the sum of floors exceed 1; floor is {self._floor:g}, so retire an arm first"
            )
        known, later = self._retired.pop(index, ([0.0], list[float]()))
        if index == len(self.arms):
            self.arms.append(name)
        if isinstance(known, list):
            self._new[index] = [*known, *later]
            self._admit(index)
        else:
            self._insert(index, known, later)
        return index

    def retire_arm(self, arm: Any) -> int:
        """Choose an arm no more, and return its index.

        Raises
        ------
        ValueError
            As `Agent.retire_arm` says.
        """
        active = [self.arms[index] for index in (*self._columns, *self._new)]
        if arm not in active:
            raise ValueError(f"arm must be one of {some_of(active)}; got {checks.show(arm)}")
        self.check_statistics("retire_arm")
        if len(active) == 2:
            raise ValueError(f"arm must leave at least 2 other arms; retiring {arm!r} would leave 1")
        index = self.arms.index(arm)
        if index in self._new:
            self._retired[index] = self._new.pop(index), []
            return index
        if len(self._columns) == 2:
            raise ValueError(f"arm must not be retired before another arm has its first rewards; got {arm!r}")
        column = self._column_of[index]
        self._retired[index] = self.engine.column(column), []
        left = [at for at in range(len(self._columns)) if at != column]
        self._resize([self._columns[at] for at in left], [self.engine.column(at) for at in left])
        return index

    def check_statistics(self, method: str) -> None:
        """Refuse what only policies allow that keep nothing but statistics of their arms."""
        why = self.engine.keeps_more if isinstance(self.engine, CompiledEngine) else "is a Python class"
        if why:
            raise ValueError(f"{method} must be left out for {self.description.policy.name}, which {why}")

    @property
    def _firsts(self) -> int:
        """How many pulls of a new arm come before the policy is asked about it."""
        return int(self.engine.spec.estimates.explore)

    @property
    def _first(self) -> int | None:
        """The new arm that is chosen next, if there is one."""
        return next((index for index, (served, *_) in self._new.items() if served < self._firsts), None)

    def _admit(self, index: int) -> None:
        """Have the policy know a new arm once it has its first rewards."""
        if len(self._new[index]) > self._firsts:
            _, *come = self._new.pop(index)
            self._insert(index, None, come)

    def _insert(self, index: int, known: Floats | None, rewards: Sequence[float]) -> None:
        """Have the policy know an arm, by what is known of it and rewards that came since."""
        columns = [self.engine.column(at) for at in range(len(self._columns))]
        self._resize([*self._columns, index], [*columns, known])
        for reward in rewards:
            self.engine.update(len(columns), reward, b"")

    def _resize(self, indices: Sequence[int], columns: Sequence[Floats | None]) -> None:
        self.engine = self.engine.resized(columns)
        self._columns = tuple(indices)
        self._column_of = {index: column for column, index in enumerate(indices)}

    def renew(self, use: int) -> None:
        """Draw from streams of a use, above 0, that no choice before has drawn from."""
        seed, run = self.description.seed, self.description.run
        self.engine.stream[:] = streams(seed, (Purpose.POLICY, use), run, 1)
        self._coin[:] = streams(seed, (Purpose.FLOOR, use), run, 1)

    # ------------------------------------------------------------ copies

    def mark(self) -> Any:
        """Return a copy of the state, for `rewind`."""
        changed = copy.deepcopy((self._new, self._retired)) if self._new or self._retired else ({}, {})
        return self.engine, self.engine.mark(), self._coin.tobytes(), self.step, len(self.arms), self._columns, changed

    def rewind(self, mark: Any) -> None:
        """Return to a state."""
        self.engine, state, coin, self.step, count, self._columns, changed = mark
        self._new, self._retired = copy.deepcopy(changed)
        self.engine.rewind(state)
        self._coin[:] = np.frombuffer(coin, np.uint64)
        del self.arms[count:]
        self._column_of = {index: column for column, index in enumerate(self._columns)}

    def as_json(self) -> dict[str, Any]:
        """Return the state as JSON holds it.

        Raises
        ------
        ValueError
            A policy that is a class of one's own.
        """
        if not isinstance(self.engine, CompiledEngine):
            raise ValueError(f"policy must be compiled to be saved; {self.engine.spec.rule.who} is a Python class")
        return {
            "names": self.arms,
            "step": self.step,
            "known": list(self._columns),
            "state": self.engine.as_json(),
            "new": [[index, *known] for index, known in self._new.items()],
            "retired": [
                [index, isinstance(known, list), known if isinstance(known, list) else numbers_to_json(known), later]
                for index, (known, later) in self._retired.items()
            ],
            "coin": words_to_json(self._coin),
        }

    def restore(self, content: dict[str, Any]) -> None:
        """Return to a state that `as_json` wrote."""
        self.arms = list(content["names"])
        self.step = content["step"]
        self._resize(content["known"], [None] * len(content["known"]))
        self.engine.restore(content["state"])
        self._new = {index: list(rest) for index, *rest in content["new"]}
        self._retired = {
            index: (list(known) if new else numbers_of_json(known), list(later))
            for index, new, known, later in content["retired"]
        }
        self._coin[:] = words_of_json(content["coin"])
