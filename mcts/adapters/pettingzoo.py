"""Environments of PettingZoo as positions: games of perfect information without chance, such as those of `classic`.

    >>> from pettingzoo.classic.tictactoe.tictactoe import env
    >>> game = env()
    >>> game.reset()
    >>> position = position_of(game).play(4)
    >>> position.player(), position.moves()
    (1, [0, 1, 2, 3, 5, 6, 7, 8])

Needs the package pettingzoo, which the extra [interop] brings.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np

from mcts.adapters.copies import copy_environment
from numerics import checks

_HIDING = ("gin_rummy", "hanabi", "leduc_holdem", "rps", "texas_holdem")  # how the names of environments begin


class PettingZooPosition:
    """An environment in which an agent is to act. Make it with `position_of`.

    Player i is the agent ``possible_agents[i]``. Two positions are equal if they come from the same environment by the
    same moves.

    Attributes
    ----------
    env : pettingzoo.AECEnv
        A copy; not changed.
    """

    __slots__ = ("_path", "_start", "_totals", "env")

    def __init__(self, env: Any, start: object, path: tuple[int, ...], totals: tuple[float, ...]):
        self.env = env
        self._start, self._path = start, path  # the position that `position_of` gave, by its identity; moves since
        self._totals = totals  # of the rewards since

    def moves(self) -> list[int]:
        """Return the actions that the mask of the agent to act allows."""
        return _actions_of(self.env)

    def play(self, move: int) -> PettingZooPosition:
        """Return the position after an action."""
        env, _ = copy_environment(self.env)
        totals = _step(env, move, self._totals)
        return PettingZooPosition(env, self._start, (*self._path, move), totals)

    def playout(self, rng: random.Random, steps: int, discount: float = 1.0) -> tuple[float, ...]:
        """Return what a game of uniformly random moves brings each player, within some steps."""
        (env, _), totals, worth = copy_environment(self.env), self._totals, 1.0
        for step in range(steps):
            if not env.agents:
                break
            worth = worth * discount if step else 1.0
            totals = _step(env, rng.choice(_actions_of(env)), totals)
        return tuple(worth * total for total in totals)

    def player(self) -> int:
        """Return the place of the agent to act among `possible_agents`."""
        number: int = self.env.possible_agents.index(self.env.agent_selection)
        return number

    def result(self) -> tuple[float, ...] | None:
        """Return the sum of each agent's rewards at the end; None before."""
        return None if self.env.agents else self._totals

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PettingZooPosition):
            return NotImplemented
        return self._start is other._start and self._path == other._path

    def __hash__(self) -> int:
        return hash((id(self._start), self._path))

    def __str__(self) -> str:
        env = self.env
        if env.render_mode == "ansi":
            return str(env.render())
        moves = " ".join(map(str, self._path)) or "no moves"
        return f"{_name(env)} after {moves}: {f'{env.agent_selection} to move' if env.agents else 'the end'}"


def position_of(env: Any) -> PettingZooPosition:
    """Return a position of an environment that has been reset, which is copied.

    Parameters
    ----------
    env : pettingzoo.AECEnv
        Its observations must be mappings with an "action_mask".

    Raises
    ------
    ValueError
        An environment that has not been reset, has ended, has no masks, hides information, draws random numbers, or
        cannot be copied.
    """
    name = _name(env)
    if name.startswith(_HIDING):
        raise ValueError(f"env must have perfect information; {name} hides information")
    if not hasattr(env, "agent_selection"):  # which a wrapper hides before
        raise ValueError(f"env must have been reset; call reset() of {name} first")
    if not env.agents:
        raise ValueError(f"env must not have ended; {name} has no agents left")
    seen = env.observe(env.agent_selection)
    if not isinstance(seen, Mapping) or "action_mask" not in seen:
        raise ValueError(
            f"env must have observations with an action_mask; observe() of {name} returned {checks.show(seen)}"
        )
    copied, generators = copy_environment(env)
    _go_on(copied)
    if not copied.agents:
        raise ValueError(f"env must not have ended; {name} has")
    if generators:
        raise ValueError(f"env must be deterministic; {name} has a random generator, {type(generators[0]).__name__}")
    position = PettingZooPosition(copied, object(), (), (0.0,) * len(env.possible_agents))
    if not _same(copied.observe(env.agent_selection), seen):
        raise ValueError(f"env must support copies; a copy of {name} has other observations")
    position.play(position.moves()[0])
    if not _same(env.observe(env.agent_selection), seen):
        raise ValueError(f"env must support copies; a move in a copy of {name} changed the original")
    return position


def _actions_of(env: Any) -> list[int]:
    """Return the actions that the mask of the agent to act allows."""
    actions: list[int] = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
    return actions


def _step(env: Any, move: int, totals: tuple[float, ...]) -> tuple[float, ...]:
    """Let the agent to act do so; return the totals with the rewards of that."""
    env.step(move)
    rewards = env.rewards
    totals = tuple(
        total + float(rewards.get(agent, 0.0)) for agent, total in zip(env.possible_agents, totals, strict=True)
    )
    _go_on(env)
    return totals


def _go_on(env: Any) -> None:
    """Let agents whose game is over go, as an environment asks for, until one is to act or none is left."""
    while env.agents and (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
        env.step(None)


def _name(env: Any) -> str:
    return str((getattr(env, "metadata", None) or {}).get("name", type(env.unwrapped).__name__))


def _same(one: Any, other: Any) -> bool:
    """Return whether two observations are equal."""
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return bool(np.array_equal(one, other))
