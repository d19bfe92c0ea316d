"""The configurations of experiments that do not yet declare themselves."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from omegaconf import MISSING


@dataclass
class Match:
    """Two players against each other, both colours, on one board."""

    kind: str = "match"
    player1: Any = MISSING
    player2: Any = MISSING
    executor: Any = MISSING
    games: int = 100
    openings: str = "none"
    board: str = "7x6"
    connect: int = 4
    seed: int = 0


@dataclass
class Tournament:
    """Every pair of several players; `games` is the number of games of each pair."""

    kind: str = "tournament"
    players: list[Any] = field(default_factory=list)
    executor: Any = MISSING
    games: int = 100
    openings: str = "none"
    board: str = "7x6"
    connect: int = 4
    seed: int = 0


@dataclass
class UctSweep:
    """A player with each value of one parameter against one opponent; `games` is the number of games of each value."""

    kind: str = "uct_sweep"
    parameter: str = "c"
    values: list[Any] = field(default_factory=lambda: [0.1, 0.25, 0.5, 0.7, 1.0, 1.4, 2.0])
    player: Any = MISSING
    opponent: Any = MISSING
    executor: Any = MISSING
    games: int = 196
    openings: str = "pairs"
    board: str = "7x6"
    connect: int = 4
    seed: int = 0


@dataclass
class RandomGames:
    """The combinatorics of play at random: length, draws, numbers of games and positions.

    `paths` and `position_paths` are the random paths from which numbers of games and of positions are estimated,
    `fillings` the full boards coloured at random, and `exact_positions` the most positions of a ply that are counted.
    They are needed for random players only.
    """

    kind: str = "random_games"
    player1: Any = MISSING
    player2: Any = MISSING
    executor: Any = MISSING
    games: int = 10_000
    paths: int = 1_000_000
    position_paths: int = 10_000
    fillings: int = 100_000
    exact_positions: int = 10_000_000
    board: str = "7x6"
    connect: int = 4
    seed: int = 0


@dataclass
class Environments:
    """Players against each other in PettingZoo's Connect Four and on the board of this project."""

    kind: str = "environments"
    players: list[Any] = field(default_factory=list)
    games: int = 100
    seed: int = 0


@dataclass
class RootRegret:
    """The root of a search as a bandit with known means, on the first `positions` of a fixed set on 7x6.

    `policies` are the index policies; `simulations` those of the root's moves, and `playouts_per_move` the playouts
    from which the means of playouts are estimated.
    """

    kind: str = "root_regret"
    policies: list[Any] = field(default_factory=list)
    executor: Any = MISSING
    positions: int = 400
    simulations: int = 10_000
    playouts_per_move: int = 2_000
    seed: int = 0


EXPERIMENTS = {
    "match": Match,
    "tournament": Tournament,
    "uct_sweep": UctSweep,
    "random_games": RandomGames,
    "environments": Environments,
    "root_regret": RootRegret,
}


def node(cls: type) -> dict[str, Any]:
    """Return the node of an experiment, untyped and without its groups."""
    found = {
        one.name: one.default_factory() if callable(one.default_factory) else one.default
        for one in dataclasses.fields(cls)
    }
    return {name: value for name, value in found.items() if value != MISSING}
