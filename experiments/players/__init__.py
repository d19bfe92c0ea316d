"""Every player of the project by its name: `make_player`.

>>> from experiments.players import make_player
>>> make_player("uct", c=0.5, seed=1).name
'uct(c=0.5)'
"""

from __future__ import annotations

from typing import Any

import connect4.players  # noqa: F401 (importing players registers them)
import mcts  # noqa: F401
from experiments.players.best import BestUCTPlayer
from experiments.players.perfect import GradedPlayer, PerfectPlayer
from numerics.players import Player

PLAYERS = Player.members


def make_player(name: str, /, **parameters: Any) -> Player:
    """Return a player by its name and parameters, those of `configs/player`.

    Raises
    ------
    ValueError
        An unknown name or parameter, or a value out of its range.
    """
    return Player.make(name, **parameters)


__all__ = ["PLAYERS", "BestUCTPlayer", "GradedPlayer", "PerfectPlayer", "Player", "make_player"]
