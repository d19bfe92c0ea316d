"""The players of Connect 4 that need no bandit rule, by name.

>>> from connect4 import make_player
>>> make_player("random", seed=1).name
'random'
"""

from __future__ import annotations

from typing import Any

from connect4.players.custom import Custom
from connect4.players.human import Human
from connect4.players.lookahead import Lookahead
from connect4.players.minimax import Minimax
from connect4.players.preferences import Level4
from connect4.players.simple import BiasedRandom, Level0, Level1, Level2, Level3, RandomPlayer
from numerics import player
from numerics.player import Player

PLAYERS: dict[str, type[Player]] = {
    cls.kind: cls
    for cls in (
        RandomPlayer, Level0, Level1, Level2, Level3, Level4, BiasedRandom, Minimax, Lookahead, Custom, Human,
    )
}  # fmt: skip


def make_player(name: str, **parameters: Any) -> Player:
    """Return a player by the name and parameters of the command line.

    Raises
    ------
    ValueError
        An unknown name or parameter, or a value out of its range.
    """
    return player.make(PLAYERS, name, **parameters)


__all__ = ["PLAYERS", "Player", "make_player"]
