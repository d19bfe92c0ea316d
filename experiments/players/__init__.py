"""Every player of the project: the family `PLAYERS`, and `make_player` of a name and parameters.

>>> from experiments.players import PLAYERS, make_player
>>> str(make_player("uct", c=0.5, seed=1))
'uct c=0.5'
>>> PLAYERS.of("minimax depth=5").depth
5
"""

from __future__ import annotations

from typing import Any

import connect4.players  # noqa: F401 (importing players registers them)
import mcts  # noqa: F401
from experiments.players.best import BestUCTPlayer
from experiments.players.perfect import GradedPlayer, PerfectPlayer
from numerics.players import PLAYERS, Player


def make_player(name: str, /, **parameters: Any) -> Player:
    """Return a player by its name and parameters, those of `configs/player`.

    Raises
    ------
    ValueError
        An unknown name or parameter, or a value out of its range.
    """
    return Player.make(name, **parameters)


__all__ = ["PLAYERS", "BestUCTPlayer", "GradedPlayer", "PerfectPlayer", "Player", "make_player"]
