"""An agent for PettingZoo's environments as a player: it sees an observation and a mask of legal actions.

    python -m experiments.run experiment=match player1=level_4 player2='{name: pettingzoo, agent: my_agents.Agent}'

Connect 4 does not need PettingZoo. `experiments.players.pettingzoo_agents` does the opposite: it runs our players in
environments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from connect4.board import Board
from connect4.pettingzoo import observation_of
from connect4.players.guest import LONGEST, Guest, call_with_offered
from numerics import importing
from numerics.parameters import parameter

_METHODS = ("act", "predict")
_MASKS = ("action_mask", "action_masks")  # names of the argument


def _agent(name: str, value: Any) -> str:
    agent = importing.import_named(name, value, "my_agents.Agent")
    if not inspect.isclass(agent):
        _method_that_chooses(name, value, agent)
    return str(value)


def _method_that_chooses(name: str, path: str, agent: Any) -> Callable[..., Any]:
    """Return the agent's method that chooses, or the agent itself if it is a function."""
    for method in _METHODS:
        ask = getattr(agent, method, None)
        if callable(ask):
            return ask  # type: ignore[no-any-return]
    if not callable(agent):
        raise ValueError(
            f"{name} {path!r} must name a function of observation and action_mask, or a class or object with act "
            f"or predict; it names a {type(agent).__name__}"
        )
    return agent  # type: ignore[no-any-return]


class PettingZooPlayer(Guest, name="pettingzoo"):
    """Plays what an agent for an environment of PettingZoo plays: Connect 4 on 7x6, or positions of its environment.

    It has act or predict(observation, action_mask), or is such a function. The observation is the environment's: in
    Connect Four zeros and ones, int8 of shape (6, 7, 2), its own stones and the other's. The mask has a one for every
    legal action. One that takes a single argument gets the mapping of both, as the environment gives it. The answer is
    an action, or a tuple that begins with one. A class is called anew for every game, with `seed` if it takes that; an
    object serves all games. An exception, no action within the limit, or an illegal one loses the game.
    """

    others = "a position of PettingZoo"
    agent: str = parameter("", check=_agent, help="dotted path of the class, object or function, as my_agents.Agent")
    limit: float = parameter(10.0, low=0.0, above=True, high=LONGEST, help="time limit for a move, in seconds")

    def takes(self, board: Any) -> bool:
        """Return whether this is a position of an environment whose agents act in turn."""
        return hasattr(getattr(board, "env", None), "agent_selection")

    def check_board(self, board: Any) -> None:
        """Refuse another game, and a board that the environment does not have.

        Raises
        ------
        ValueError
            A board other than 7x6 with four in a row.
        """
        self.shown(board)

    def shown(self, board: Any) -> Any:
        """Return the observation of the agent to act, and the mask."""
        board = super().shown(board)
        return observation_of(board) if isinstance(board, Board) else board.env.observe(board.env.agent_selection)

    def choice(self) -> Callable[[Any], Any]:
        """Return a callable that asks the agent."""
        named = importing.import_named("agent", self.agent, "my_agents.Agent")
        agent = call_with_offered("agent", self.agent, named, seed=self.own_seed) if inspect.isclass(named) else named
        ask = _method_that_chooses("agent", self.agent, agent)
        takes = inspect.signature(ask).parameters
        mask_name = next((name for name in _MASKS if name in takes), None)
        required = sum(argument.default is argument.empty for argument in takes.values())

        def choose(seen: Any) -> Any:
            if mask_name is not None:
                answer = ask(seen["observation"], **{mask_name: seen["action_mask"]})
            elif required == 1:
                answer = ask(seen)
            else:
                answer = ask(seen["observation"], seen["action_mask"])
            action = answer[0] if isinstance(answer, tuple) else answer
            number = getattr(action, "item", None)  # of an array or a tensor
            return number() if callable(number) else action

        return choose
