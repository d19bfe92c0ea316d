"""What agents in memory and in a database have in common."""

from __future__ import annotations

import operator
import threading
from typing import TYPE_CHECKING, Any

from bandits.live.choices import Choice
from bandits.live.description import Arm, Description
from bandits.live.play import Play
from bandits.live.summary import Summary
from bandits.policies.base import Policy
from numerics import checks

if TYPE_CHECKING:
    import pandas as pd


class BaseAgent:
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
        self._lock = threading.RLock()

    @property
    def policy(self) -> Policy:
        """What chooses."""
        return self.description.policy

    @property
    def arms(self) -> list[Arm]:
        """All arms that it has, or had, in the order in which they came."""
        return list(self._play.arms)

    @property
    def retired(self) -> list[Arm]:
        """The arms that are not chosen any more."""
        return self._play.retired

    @property
    def probabilities(self) -> dict[Arm, float]:
        """The probability of each arm at the next choice, of a policy that sees no features."""
        if self.description.features is not None:
            raise ValueError("probabilities depend on the features; read `chances` of a choice")
        with self._lock:
            chances, _ = self._play.chances(self._play.next_state(), None)
            return dict(zip(self.arms, chances.tolist(), strict=True))

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each arm: see `Summary.frame`."""
        return self.summary().frame

    def summary(self) -> Summary:
        """Return what is known of each arm."""
        raise NotImplementedError

    def _id_of(self, choice: Any) -> int:
        """Return the id of a choice, or the id itself."""
        if isinstance(choice, Choice):
            return choice.id
        try:
            return operator.index(choice)
        except TypeError:
            raise ValueError(f"choice must be a Choice or its id; got {checks.show(choice)}") from None
