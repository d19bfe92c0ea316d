"""Every player of the project: the family `PLAYERS`, and `make_player` of a name and parameters.

>>> from experiments.players import PLAYERS, make_player
>>> str(make_player("uct", c=0.5, seed=1))
'uct c=0.5'
>>> PLAYERS.of("minimax depth=5").depth
5
"""

from __future__ import annotations

from typing import Any

from numerics.players import PLAYERS, Player

_MODULES = {
    "biased_monte_carlo": "mcts.players",
    "biased_random": "connect4.players.simple",
    "custom": "connect4.players.custom",
    "graded": "experiments.players.perfect",
    "human": "connect4.players.human",
    "kaggle": "connect4.players.kaggle",
    "level_0": "connect4.players.simple",
    "level_1": "connect4.players.simple",
    "level_2": "connect4.players.simple",
    "level_3": "connect4.players.simple",
    "level_4": "connect4.players.preferences",
    "lookahead": "connect4.players.lookahead",
    "minimax": "connect4.players.minimax",
    "monte_carlo": "mcts.players",
    "open_spiel": "connect4.players.open_spiel",
    "perfect": "experiments.players.perfect",
    "pettingzoo": "connect4.players.pettingzoo",
    "program": "connect4.players.program",
    "random": "connect4.players.simple",
    "uct": "mcts.uct",
    "uct_best": "experiments.players.best",
}
Player.members.modules.update(_MODULES)


def make_player(name: str, /, **parameters: Any) -> Player:
    """Return a player by its name and parameters, those of `configs/player`.

    Raises
    ------
    ValueError
        An unknown name or parameter, or a value out of its range.
    """
    return Player.make(name, **parameters)


__all__ = ["PLAYERS", "Player", "make_player"]
