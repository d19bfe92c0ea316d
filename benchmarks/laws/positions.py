"""Positions of four solved games with the exact score of each move, and the depth of each move that loses by force."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.solved_games import BREAKTHROUGH, CONNECT4, DOTS_AND_BOXES, GAMES, HEX, USUAL
from experiments.games.positions import PositionRules
from experiments.games.rules import GAMES as RULES
from experiments.graded_positions.candidates import traps_of
from experiments.graded_positions.positions import Graded, sourced_positions, value_of
from numerics.parameters import must_be_one_of
from numerics.positions import scores_of
from numerics.random import Purpose, derived_seed

PLIES = {DOTS_AND_BOXES: (5, 19), BREAKTHROUGH: (3, 14), HEX: (1, 10)}
"""The fewest and the most moves before a position."""
TRAPS, TUNING, HELD_OUT = "traps", "tuning", "held_out"
_CONNECT4_SETS = {TRAPS: "all", TUNING: "both", HELD_OUT: "held_out_both"}
_SEEDS = {TRAPS: 0, TUNING: 1, HELD_OUT: 1}  # of the random games; held-out positions follow those for tuning
_MISLEADING = "misleading"
_TRIES = 100  # random games for each wanted position, before a game is taken to have no more


@dataclass(frozen=True)
class Trapped:
    """A position, and the depths of its traps.

    Attributes
    ----------
    graded : Graded
    depths : mapping
        Of each move that loses: the plies after it up to the end, if both play best. In Dots and Boxes, whose games all
        last 24 edges, these are the edges that are left.
    """

    graded: Graded
    depths: Mapping[int, int]


def trapped_positions(game: str, use: str, count: int, skip: int = 0, seed: int = 0) -> list[Trapped]:
    """Return up to `count` positions in which a move can lose the value, none lost, none with an immediate win.

    Parameters
    ----------
    game : str
        One of `USUAL`.
    use : str
        "traps", "tuning" or "held_out". Positions for traps have a move that loses by force.
    count : int
        Fewer are returned where there are no more.
    skip : int, default 0
        Positions of random games to leave out first; Connect 4 has a packaged set for each use.
    seed : int, default 0
        Of the random games.

    Examples
    --------
    >>> position = trapped_positions("hex", "traps", 1)[0]
    >>> position.graded.top, min(position.graded.legal_scores), max(position.depths.values()) > 0
    (1, -1, True)
    """
    if game not in USUAL:
        raise ValueError(must_be_one_of("game", game, USUAL))
    if game == CONNECT4:
        graded = (position for position, kind in sourced_positions(_CONNECT4_SETS[use]) if kind != _MISLEADING)
        trapped = [Trapped(position, traps_of(position)) for position in graded]
        return [position for position in trapped if use != TRAPS or position.depths][:count]
    return _random_positions(game, derived_seed(seed + _SEEDS[use], (Purpose.BENCHMARK,)), skip + count)[skip:]


def _random_positions(game: str, seed: int, count: int) -> list[Trapped]:
    """Return different positions of uniform random games, after a number of plies that is uniform in a range."""
    rules, (fewest, most) = RULES.of(GAMES[game].text, "game"), PLIES[game]
    assert isinstance(rules, PositionRules)
    positions, seen = list[Trapped](), set[Any]()
    for number in range(_TRIES * count):
        rng = np.random.default_rng((seed, number))
        board, places = rules.start, ()
        for _ in range(int(rng.integers(fewest, most + 1))):
            if board.result() is None:
                options = board.moves()
                move = int(rng.choice(options))
                board, places = board.play(move), (*places, options.index(move))
        if board.result() is not None or board in seen:
            continue
        seen.add(board)
        scores = scores_of(board)
        if len({value_of(score) for score in scores}) == 1:
            continue  # no move loses the value
        lengths = [len(scores) if score > 0 else -len(scores) for score in scores]
        if game != DOTS_AND_BOXES:
            lengths = board.plies()
        if 1 in lengths:
            continue  # a move wins at once
        depths = {move: -1 - length for move, length in zip(board.moves(), lengths, strict=True) if length < -1}
        positions.append(Trapped(Graded(places, tuple(scores), rules), depths))
        if len(positions) == count:
            break
    return positions
