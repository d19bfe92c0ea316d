"""Matches of two players, for tests of strength."""

from __future__ import annotations

from connect4 import Board
from numerics.players import Player


def points_of(one: Player, other: Player, games: int) -> float:
    """Return the points of a player, who begins every other game: 1 for a win and 1/2 for a draw."""
    points = 0.0
    for game in range(games):
        one.reset(game)
        other.reset(game)
        result = Board().run(one, other) if game % 2 == 0 else -Board().run(other, one)
        points += 0.5 + 0.5 * result
    return points
