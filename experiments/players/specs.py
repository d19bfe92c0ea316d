"""Players of a configuration: a name, parameters and a label, which make a new player for every game."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from connect4 import Board
from experiments.players import PLAYERS, make_player
from mcts import MonteCarloPlayer, UCTPlayer
from numerics.checks import under
from numerics.parameters import must_be_one_of
from numerics.players import Player


@dataclass(frozen=True)
class PlayerSpec:
    """A player of a configuration: its label in tables and figures, its name and its parameters."""

    label: str
    kind: str
    parameters: Mapping[str, Any]

    def player(self, seed: int) -> Player:
        """Return a new player with a separate stream."""
        return make_player(self.kind, seed=seed, **self.parameters)

    @property
    def name(self) -> str:
        """The player's name, with every parameter that is not the default."""
        return self.player(0).name

    @property
    def is_human(self) -> bool:
        """Whether a person at the terminal plays, who can play one game at a time."""
        return self.kind == "human"


def player_spec(values: Mapping[str, Any], key: str) -> PlayerSpec:
    """Check one player's node; its label is its name with its parameters unless the node has one."""
    parameters = {name: value for name, value in values.items() if name not in ("name", "label")}
    if "seed" in parameters:
        raise ValueError(f"{key}.seed is not a key: the run's seed gives every player of every game its own stream")
    with under(key):
        made = make_player(values["name"], **parameters)  # checked here, before any work
        if isinstance(made, MonteCarloPlayer | UCTPlayer):
            made.check_game(Board().game)  # the playouts and priors that Connect 4 has
    return PlayerSpec(str(values.get("label") or made.name), made.kind, parameters)


def player_specs(nodes: Sequence[Any], key: str = "players", least: int = 2) -> list[PlayerSpec]:
    """Check a list of players, each a name or a node `{name: minimax, depth: 3, label: "three"}`.

    Equal labels are refused, because tables could not tell them apart.
    """
    if len(nodes) < least:
        raise ValueError(f"{key} must hold at least {least} players, such as [random,minimax]; got {len(nodes)}")
    specs: list[PlayerSpec] = []
    for position, node in enumerate(nodes):
        node_key = f"{key}[{position}]"
        values = {"name": node} if isinstance(node, str) else node
        if not isinstance(values, Mapping) or not isinstance(values.get("name"), str):
            raise ValueError(
                f"{node_key} must be a player's name or a node such as {{name: minimax, depth: 3}}; got {node!r}"
            )
        if values["name"] not in PLAYERS:
            raise ValueError(must_be_one_of(node_key, values["name"], sorted(PLAYERS)))
        spec = player_spec(values, node_key)
        if spec.label in [other.label for other in specs]:
            raise ValueError(f"{node_key}.label must differ from the labels before it; got {spec.label!r} again")
        specs.append(spec)
    return specs


def check_board(specs: Iterable[PlayerSpec], board: Board) -> None:
    """Refuse, before a game begins, a board that one of the players cannot play on.

    Raises
    ------
    ValueError
        Such as a player that needs exact scores, on a board too large to be solved.
    """
    for spec in specs:
        PLAYERS[spec.kind].check_board(board)


def source_files(spec: PlayerSpec) -> list[str]:
    """Return the files of a player's class and of the user's code that its parameters name.

    A dotted path names a module; a submission, or a command such as `python my_engine.py`, files of Python.
    """
    texts = list(_texts(spec.parameters))
    modules = [path.rpartition(".")[0] for path in texts]
    files = [inspect.getsourcefile(PLAYERS[spec.kind])]
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
