"""The players of Connect 4 that need no bandit rule; importing them registers them in `Player.members`."""

from connect4.players.custom import Custom
from connect4.players.human import Human
from connect4.players.kaggle import KagglePlayer
from connect4.players.lookahead import Lookahead
from connect4.players.minimax import Minimax
from connect4.players.open_spiel import OpenSpielPlayer
from connect4.players.pettingzoo import PettingZooPlayer
from connect4.players.preferences import Level4
from connect4.players.program import ProgramPlayer
from connect4.players.simple import BiasedRandom, Level0, Level1, Level2, Level3, RandomPlayer

__all__ = [
    "BiasedRandom",
    "Custom",
    "Human",
    "KagglePlayer",
    "Level0",
    "Level1",
    "Level2",
    "Level3",
    "Level4",
    "Lookahead",
    "Minimax",
    "OpenSpielPlayer",
    "PettingZooPlayer",
    "ProgramPlayer",
    "RandomPlayer",
]
