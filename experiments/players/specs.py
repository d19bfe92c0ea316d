"""Players as a configuration has them, with a label."""

from __future__ import annotations

import copy
import inspect
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from connect4 import Board
from experiments.engine.experiment import Choice
from experiments.engine.families import digests
from experiments.players import PLAYERS
from mcts import MonteCarloPlayer, UCTPlayer
from numerics.checks import prefix_errors
from numerics.players import Player, with_budget


@dataclass(frozen=True)
class PlayerSpec:
    """A player of a configuration, and what it is called in tables and figures."""

    label: str
    made: Player

    def player(self, seed: int = 0) -> Player:
        """Return a copy of the player, with its own stream."""
        player = copy.deepcopy(self.made)
        player.seed = seed
        player.reset(0)
        return player

    @property
    def name(self) -> str:
        """The player as a text, with every parameter that is not the default."""
        return PLAYERS.text(self.made)

    @property
    def name_with_budget(self) -> str:
        """The name, with the budget of a move also where that is the default, such as monte_carlo simulations=1000."""
        return with_budget(self.made)

    @property
    def is_human(self) -> bool:
        """Whether a person at the terminal plays, who can play one game at a time."""
        return self.made.name == "human"


def player_spec(label: str, made: Player, key: str) -> PlayerSpec:
    """Return a player with its label, after refusing what the run decides and what Connect 4 does not have."""
    if made.seed != 0:
        raise ValueError(f"{key}.seed is not a key: the seed of the run sets the random numbers of all players")
    if isinstance(made, MonteCarloPlayer | UCTPlayer):
        with prefix_errors(key):
            made.check_game(Board().game)
    return PlayerSpec(label, made)


def program(argument: str, value: Any) -> Player:
    """Return the player that a text or a mapping means, which is no person at the terminal.

    Examples
    --------
    >>> str(program("player", "minimax depth=5"))
    'minimax depth=5'
    """
    player = PLAYERS.of(value, argument)
    if player.name == "human":
        raise ValueError(f"{argument} must be a program, such as uct; got 'human'")
    return player


def check_programs(players: Mapping[str, PlayerSpec], work: str) -> None:
    """Refuse, by their keys, players that are a person at the terminal, who cannot do what only a program can do."""
    for key, spec in players.items():
        if spec.is_human:
            raise ValueError(f"{key} must be a program that can {work}; got 'human'")


def source_files(spec: PlayerSpec) -> list[str]:
    """Return the files of a player's class and of the user's code that its parameters name.

    A dotted path names a module; a submission, or a command such as `python my_engine.py`, files of Python.
    """
    texts = list(_texts(PLAYERS.node(spec.made)))
    modules = [path.rpartition(".")[0] for path in texts]
    files = [inspect.getsourcefile(type(spec.made))]
    files += [getattr(sys.modules.get(name), "__file__", None) for name in modules]
    files += [word for text in texts for word in text.split() if word.endswith(".py") and os.path.isfile(word)]
    return [file for file in files if file is not None]


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in the values of a mapping and in those of the mappings in it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from _texts(member)


PLAYER = Choice(PLAYERS, player_spec, lambda spec: digests(source_files(spec)), labelled=True, least=2)
