"""A Markov decision process by one hook, which says what may follow an action and how likely it is.

A state is a small vector of integers, int64[S], whose words only the process interprets. A state in which no action is
possible is an end. Of two players one gains what the other loses, unless each has rewards of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from numerics import checks
from numerics.kernels.users import Misbehaves, hook_of, users_module

Words = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

SIGNATURE = "int64(int64[::1], int64, int64[:, ::1], float64[::1], float64[::1])"
MOST_PLAYERS = 1_000
_SUM = 1e-9  # by which probabilities may miss 1
_WHO = ""  # the hook in the form below, by its name; `_hook` stands for it there


class Outcomes(Protocol):
    """What may follow an action."""

    def __call__(self, state: Words, action: int, states: Words, chances: Floats, rewards: Floats, /) -> int:
        """Write each outcome of an action, and return how many there are; 0 where the action is not possible.

        Parameters
        ----------
        state : int64[S]
            Not changed.
        action : int
            From 0 to most_actions - 1.
        states : int64[O, S]
            Out: the state after each outcome.
        chances : float64[O]
            Out: its probability; they sum to 1.
        rewards : float64[O], or float64[O * P]
            Out: its reward. Where the process has `players`, outcome i pays player p `rewards[i * P + p]`.
        """


def _hook(*given: Any) -> Any: ...


def _watched(state: Words, action: int, states: Words, chances: Floats, rewards: Floats) -> int:
    count: int = _hook(state, action, states, chances, rewards)
    if count < 0 or count > chances.size:
        raise Misbehaves(_WHO, "must return how many outcomes it wrote, from 0 to most_outcomes", "", 0.0)
    total, finite = 0.0, True
    for i in range(count):
        total += chances[i] if chances[i] >= 0.0 else np.nan
    for i in range(count * (rewards.size // chances.size)):
        finite &= abs(rewards[i]) < np.inf
    if count > 0 and not abs(total - 1.0) <= _SUM:
        raise Misbehaves(_WHO, "must write probabilities that sum to 1", "", 0.0)
    if not finite:
        raise Misbehaves(_WHO, "must write finite rewards", "", 0.0)
    return count


@dataclass(frozen=True)
class Process:
    """A state of a process, and the hook that leads on from it.

    Attributes
    ----------
    state : int64[S]
        Where it begins.
    most_actions : int
        A: actions are 0 to A - 1.
    most_outcomes : int
        O, the most outcomes of an action.
    outcomes : hook
        A kernel, or a function that this class compiles.
    discount : float, default 1.0
        What a reward one step later is worth, from 0 to 1.
    to_move : int, optional
        The index of the word of the state that names the player to move: 0, 1, ... Without it there is one player.
    players : int, optional
        P, each with rewards of their own. Without it there are two players at most, and a reward is what player 0 gains
        and player 1 loses.

    Raises
    ------
    ValueError
        If a number is out of range or the state is not a vector of integers. Also if a hook takes other arguments or
        cannot be compiled.

    Examples
    --------
    A walk from 2 to 0 or 4, which pays 1 at 4:

    >>> def outcomes(state, action, states, chances, rewards):
    ...     if action > 0 or state[0] == 0 or state[0] == 4:
    ...         return 0
    ...     for side in range(2):
    ...         states[side, 0] = state[0] + 2 * side - 1
    ...         chances[side], rewards[side] = 0.5, 1.0 if states[side, 0] == 4 else 0.0
    ...     return 2
    >>> from mcts import exact_values
    >>> round(exact_values(Process([2], 1, 2, outcomes)).value, 9)
    0.5
    """

    state: Words
    most_actions: int
    most_outcomes: int
    outcomes: Outcomes
    discount: float = 1.0
    to_move: int | None = None
    players: int | None = None

    def __post_init__(self) -> None:
        state = np.asarray(self.state)
        if state.ndim != 1 or not state.size or state.dtype.kind not in "iu":
            raise ValueError(f"state must be a vector of integers, int64[S]; got {checks.show(self.state)}")
        kept: dict[str, Any] = {"state": np.ascontiguousarray(state, dtype=np.int64)}
        for name in ("most_actions", "most_outcomes"):
            kept[name] = checks.check_whole(name, getattr(self, name), 1, most=2**15)
        kept["discount"] = checks.number("discount", self.discount, 0.0, 1.0)
        if self.to_move is not None:
            kept["to_move"] = checks.check_whole("to_move", self.to_move, 0, state.size - 1)
        if self.players is not None:
            kept["players"] = checks.check_whole("players", self.players, 1, MOST_PLAYERS)
            if self.players > 1 and self.to_move is None:
                raise ValueError(f"players must be 1 without to_move; got {self.players}")
        kept["outcomes"] = hook_of("outcomes hook", self.outcomes, SIGNATURE, _watched)
        for name, value in kept.items():
            object.__setattr__(self, name, value)

    @property
    def who(self) -> str:
        """The name of a user's process in an error message."""
        return f"the outcomes hook of {self._of_user}"

    @property
    def is_ours(self) -> bool:
        """Whether the hook is written in a file of this project."""
        return not self._of_user

    @property
    def _of_user(self) -> str:
        hook: Any = self.outcomes
        return users_module(hook)
