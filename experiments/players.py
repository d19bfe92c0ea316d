"""Every player by name, with and without a bandit rule, and how a configuration makes one."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import connect4
import mcts
from connect4 import Board
from experiments.build import under
from experiments.exact_scores import perfect
from numerics import player
from numerics.player import Player

_LONGEST_LABEL = 28  # letters; of players in a list
PLAYERS: dict[str, type[Player]] = {**connect4.PLAYERS, **mcts.PLAYERS, **perfect.PLAYERS}


def make_player(name: str, **parameters: Any) -> Player:
    """Return any player of the project by its name and parameters.

    Raises
    ------
    ValueError
        An unknown name or parameter, or a value out of its range.
    """
    return player.make(PLAYERS, name, **parameters)


@dataclass(frozen=True)
class Seat:
    """A player of a configuration: what it is called in tables and figures, and what makes it."""

    label: str
    kind: str
    parameters: Mapping[str, Any]

    def player(self, seed: int) -> Player:
        """Return a new player object with its own stream."""
        return make_player(self.kind, seed=seed, **self.parameters)

    @property
    def name(self) -> str:
        """The player's full name, with every parameter."""
        return self.player(0).name

    @property
    def is_human(self) -> bool:
        """Whether a person at the terminal plays, who can play one game at a time."""
        return self.kind == "human"


def seat(values: Mapping[str, Any], key: str) -> Seat:
    """Check one player's node; its label is its name with its parameters unless the node has one."""
    parameters = {name: value for name, value in values.items() if name not in ("name", "label")}
    if "seed" in parameters:
        raise ValueError(f"{key}.seed is not a key: the run's seed gives every player of every game its own stream")
    with under(key):
        made = make_player(values["name"], **parameters)  # checked here, before any work
    return Seat(str(values.get("label") or made.name), str(values["name"]), parameters)


def seats(nodes: Sequence[Any], key: str = "players", least: int = 2) -> list[Seat]:
    """Check a list of players, each a name or a node `{name: minimax, depth: 3, label: "three"}`.

    Without a label, a name with every parameter that is too long for a table is cut to the parameters that are given.
    Equal labels are refused, because tables could not tell them apart.
    """
    if len(nodes) < least:
        raise ValueError(f"{key} must hold at least {least} players, such as [random,minimax]; got {len(nodes)}")
    found: list[Seat] = []
    for position, node in enumerate(nodes):
        place = f"{key}[{position}]"
        values = {"name": node} if isinstance(node, str) else node
        if not isinstance(values, Mapping) or not isinstance(values.get("name"), str):
            raise ValueError(
                f"{place} must be a player's name or a node such as {{name: minimax, depth: 3}}; got {node!r}"
            )
        if values["name"] not in PLAYERS:
            raise ValueError(f"{place} must be one of {', '.join(sorted(PLAYERS))}; got {values['name']!r}")
        one = seat(values, place)
        if not values.get("label") and len(one.label) > _LONGEST_LABEL:
            given = [f"{name}={value}" for name, value in values.items() if name not in ("name", "label")]
            one = dataclasses.replace(one, label=" ".join([one.kind, *given]))
        if one.label in [other.label for other in found]:
            raise ValueError(f"{place}.label must differ from the labels before it; got {one.label!r} again")
        found.append(one)
    return found


def check_board(seats: Iterable[Seat], board: Board) -> None:
    """Refuse, before a game begins, a board that one of the players cannot play on.

    Raises
    ------
    ValueError
        A player that needs exact scores, on a board too large to be solved.
    """
    for one in seats:
        cls = PLAYERS[one.kind]
        if issubclass(cls, perfect.PerfectPlayer):
            cls.check_board(board)


def source_files(seat: Seat) -> list[str]:
    """Return the files of a player's class and of what its parameters name by a dotted path (a user's own code)."""
    modules = [path.rpartition(".")[0] for path in _texts(seat.parameters)]
    files = [inspect.getsourcefile(PLAYERS[seat.kind])]
    files += [getattr(sys.modules.get(name), "__file__", None) for name in modules]
    return [file for file in files if file is not None]


def captured(seat: Seat) -> str:
    """Return the digests of what the functions that a player's parameters name by a dotted path would compile with."""
    from numerics import captures

    paths = [path.rpartition(".") for path in _texts(seat.parameters)]
    found = [getattr(sys.modules.get(module), name, None) for module, _, name in paths if module]
    functions = [getattr(one, "function", one) for one in found]  # of a rule, or a heuristic
    return "".join(captures.captured(function) for function in functions if inspect.isfunction(function))


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in the values of a mapping and in those of the mappings in it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for own in value.values():
            yield from _texts(own)
