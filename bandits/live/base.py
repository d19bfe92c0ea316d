"""What agents in memory and in a database have in common."""

from __future__ import annotations

import abc
import contextlib
import operator
import os
import sys
import threading
import weakref
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bandits.live.choices import Choice
from bandits.live.description import Arm, Description, check_new_arms, names_of
from bandits.live.play import Play
from bandits.live.summary import Known, Summary, frame_of
from bandits.policies.base import Policy
from numerics import checks

if TYPE_CHECKING:
    import pandas as pd


class BaseAgent(abc.ABC):
    """A policy in a running program, by its description.

    Attributes
    ----------
    description : Description
        The arguments with which it was made.
    """

    def _begin(self, description: Description) -> None:
        """Begin, with the arguments of a description."""
        self.description: Description = description
        self._play = Play(description)
        self._lock: contextlib.AbstractContextManager[Any] = threading.RLock()
        _agents.add(self)

    @abc.abstractmethod
    def _after_fork(self) -> None:
        """Become what a forked child may use: another thread of the parent may have held the lock."""

    @property
    def policy(self) -> Policy:
        """The policy."""
        return self.description.policy

    @property
    def arms(self) -> list[Arm]:
        """All arms, also retired ones, in the order of their addition."""
        return list(self._play.arms)

    @property
    def retired(self) -> list[Arm]:
        """The retired arms."""
        return self._play.retired

    @property
    def probabilities(self) -> dict[Arm, float]:
        """The probability of each arm at the next choice, for a policy without features."""
        if self.description.features is not None:
            raise ValueError("probabilities depend on the features; read `chances` of a choice")
        with self._lock:
            chances, _ = self._play.chances(self._play.next_state(), None)
            return dict(zip(self._play.arms, chances.tolist(), strict=True))

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each arm: see `Summary.frame`."""
        return self.summary().frame

    def summary(self) -> Summary:
        """Return statistics of each arm: means, intervals, and the expected loss of stopping now."""
        known = self._known()
        arms = known.arms, known.retired, known.paid, known.waiting
        frame = frame_of(*arms, self.description.rewards, known.begun)
        return Summary(frame, f"{self.policy}: {known.choices:,} choices, {sum(known.waiting):,} rewards pending")

    @property
    @abc.abstractmethod
    def choices(self) -> int:
        """The number of choices made."""

    @abc.abstractmethod
    def _known(self) -> Known:
        """Return what is known now; others may choose and reward while it is read."""

    def _are_retired(self) -> list[bool]:
        """Return whether each arm is chosen no more."""
        retired = self._play.retired
        return [name in retired for name in self._play.arms]

    def _check_arm(self, arm: Any) -> None:
        """Refuse an arm that is new, where a new agent could not have it."""
        (name,) = names_of("arm", [arm])
        if name not in self._play.arms:
            check_new_arms("arm", [name], self._play.arms)

    def _rows_of(self, n: int, features: Sequence[Sequence[float]] | None) -> list[Any]:
        """Return the features of each of n choices, or None for each."""
        if features is not None and len(features) != n:
            raise ValueError(f"features must have a row for each of the {n} choices; got {len(features)}")
        rows: Sequence[Any] = [None] * n if features is None else features
        return [self.description.check_features(row) for row in rows]

    def _ids_of(self, choices: Any) -> dict[int, Any]:
        """Return choices by their ids."""
        if isinstance(choices, str) or not isinstance(choices, Iterable):
            raise ValueError(f"choices must be a list of choices or their ids; got {checks.show(choices)}")
        return {self._id_of(choice): choice for choice in choices}

    def _id_of(self, choice: Any) -> int:
        """Return the id of a choice of this agent, also of one made before it was saved; or the id itself."""
        if isinstance(choice, Choice):
            mine, its = self._play, choice._play
            if its is not mine and (its.agent, its.description.as_json()) != (mine.agent, self.description.as_json()):
                raise ValueError(f"choice must be one of this agent; {choice} is another agent's")
            return choice.id
        try:
            return operator.index(choice)
        except TypeError:
            raise ValueError(f"choice must be a Choice or its id; got {checks.show(choice)}") from None


_agents: weakref.WeakSet[BaseAgent] = weakref.WeakSet()


def _after_fork() -> None:
    for agent in list(_agents):
        agent._after_fork()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_after_fork)
