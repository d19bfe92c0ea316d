"""A choice of an agent: its arm, and the probability with which it was made."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.live.description import Arm
from bandits.live.play import Play, State

Floats = npt.NDArray[np.float64]


def check_arm(choice: Any, arm: Arm) -> None:
    """Raise ValueError for a choice of another arm than the agent has recorded; an id has none."""
    if isinstance(choice, Choice) and choice.arm != arm:
        raise ValueError(f"choice must be one of this agent; its choice {choice.id} is {arm!r}, got {choice.arm!r}")


class Choice:
    """What an agent chose.

    Attributes
    ----------
    id : int
        Its number, from 0 on.
    arm : str or int
        The chosen arm.
    index : int
        The arm's place in `agent.arms`.
    features : ndarray of float64, shape (d,), or None
        What the policy saw.
    """

    __slots__ = ("_known", "_play", "arm", "features", "id", "index")

    def __init__(self, play: Play, id: int, arm: Arm, index: int, features: Floats | None, known: State | None):
        self.id: int = id
        self.arm: Arm = arm
        self.index: int = index
        self.features: Floats | None = features
        self._play = play
        self._known: State | tuple[Floats, float] | None = known

    def __repr__(self) -> str:
        return f"Choice(id={self.id}, arm={self.arm!r}, index={self.index})"

    @property
    def propensity(self) -> float:
        """The probability with which the agent chose this arm, computed at the first access."""
        return float(self._computed()[0][self.index])

    @property
    def propensity_error(self) -> float:
        """The standard error of the propensity if it is estimated by draws; 0 if it is exact."""
        return self._computed()[1]

    @property
    def chances(self) -> dict[Arm, float]:
        """The probability of every arm at this choice."""
        chances = self._computed()[0]
        if np.isnan(chances).any():
            raise ValueError(f"chances of choice {self.id} are unknown: only the chosen arm's probability was stored")
        return dict(zip(self._play.arms, chances.tolist(), strict=False))

    def _computed(self) -> tuple[Floats, float]:
        """Return the probability of every arm, and the standard error of that of the chosen one."""
        known = self._known
        if known is None:
            raise ValueError(
                f"the propensity of choice {self.id} is unknown: read `propensity` before you save the agent"
            )
        if len(known) == 2:
            return known
        self._known = computed = self._play.chances(known, self.index)
        return computed
