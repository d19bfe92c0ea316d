"""The configurations of experiments that do not yet declare themselves."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from omegaconf import MISSING


@dataclass
class Strength:
    """Players judged by exact scores on the first `positions` of a fixed set on 7x6.

    `positions_from` says which set: random, self_play, or both. Players that think as long as they are told, and whose
    node does not say how long, do so for each of `simulations` and for each of `seconds`.
    """

    kind: str = "strength"
    players: list[Any] = field(default_factory=list)
    executor: Any = MISSING
    positions: int = 2_000
    positions_from: str = "both"
    simulations: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    seed: int = 0


@dataclass
class Grading:
    """A player against `graded`, which plays worse moves at a rate, to find the rate at which it scores one half.

    `games` is the number of games at each rate: of `rates` in the first round, of two more in each of `rounds` further
    ones. `simulations` are those of graded, which tell its equal moves apart.
    """

    kind: str = "grade"
    player: Any = MISSING
    executor: Any = MISSING
    rates: list[float] = field(default_factory=lambda: [0.0, 0.04, 0.16, 0.36, 0.64, 1.0])
    rounds: int = 3
    games: int = 98
    simulations: int = 1_000
    openings: str = "pairs"
    board: str = "7x6"
    connect: int = 4
    seed: int = 0


EXPERIMENTS = {
    "strength": Strength,
    "grade": Grading,
}


def node(cls: type) -> dict[str, Any]:
    """Return the node of an experiment, untyped and without its groups."""
    found = {
        one.name: one.default_factory() if callable(one.default_factory) else one.default
        for one in dataclasses.fields(cls)
    }
    return {name: value for name, value in found.items() if value != MISSING}
