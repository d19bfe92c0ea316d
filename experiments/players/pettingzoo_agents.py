"""Players as agents in PettingZoo's classic environments that show every player everything.

    from pettingzoo.classic.tictactoe.tictactoe import env as tictactoe
    from experiments.players import make_player
    from experiments.players.pettingzoo_agents import Agent
    env = tictactoe()
    env.reset()
    agents = {"player_1": Agent(make_player("uct"), env), "player_2": Agent(make_player("random"), env)}
    for name in env.agent_iter():
        env.step(agents[name].choose(*env.last()))

Needs the extra [interop].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from connect4.pettingzoo import board_of
from mcts.adapters.pettingzoo import position_of
from numerics.players import Plays, chooser_of


class Agent:
    """A player as an agent of an environment.

    In Connect Four the player sees a `connect4.Board`, which the observation shows. In other games it sees a copy of
    the environment, as the position of `mcts.adapters`. The `action_mask` is not enforced: an illegal move of the
    player is one here too.

    Parameters
    ----------
    player : player
        Anything with ``play(position) -> move``, or a function of a position.
    env : pettingzoo.AECEnv, optional
        The environment in which it acts; need not be given for Connect Four.

    Raises
    ------
    ValueError
        Not a player, such as a name: `experiments.players.make_player` makes a player from its name.

    Examples
    --------
    >>> import numpy as np
    >>> empty = {"observation": np.zeros((6, 7, 2)), "action_mask": np.ones(7)}
    >>> Agent(lambda board: board.width // 2).choose(empty)
    3
    """

    def __init__(self, player: Plays[Any] | Callable[[Any], Any], env: Any = None):
        self._choose = chooser_of(player)
        self.player, self.env = player, env

    def choose(
        self,
        observation: Mapping[str, Any],
        reward: float = 0.0,
        termination: bool = False,
        truncation: bool = False,
        info: Mapping[str, Any] | None = None,
    ) -> int | None:
        """Return the action for ``env.step``: the player's move, or None for an agent whose game is over.

        The arguments are what ``env.last()`` returns.

        Raises
        ------
        ValueError
            The observation is not a position of Connect Four, or the environment cannot be searched.
        """
        if termination or truncation:
            return None
        shows_all = self.env is None or str(self.env).startswith("connect_four")
        return self._choose(board_of(observation) if shows_all else position_of(self.env))
