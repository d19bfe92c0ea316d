"""Positions of four solved games with the exact value of each move, and the depth of each move that loses by force."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.graded_positions.candidates import traps_of
from experiments.graded_positions.positions import Graded, sign, sourced_positions
from mcts.games.breakthrough import Breakthrough
from mcts.games.dots_and_boxes import DotsAndBoxes
from mcts.games.hex import Hex
from numerics.parameters import must_be_one_of
from numerics.positions import scores_of
from numerics.random import Purpose, derived_seed

CONNECT4 = "Connect 4 7x6"
DOTS_AND_BOXES, BREAKTHROUGH, HEX = "Dots and Boxes 3x3", "Breakthrough 5x4", "Hex 4x4"
GAMES = (CONNECT4, DOTS_AND_BOXES, BREAKTHROUGH, HEX)
STARTS: dict[str, tuple[Callable[[], Any], int, int]] = {  # the empty board; the fewest and most plies
    DOTS_AND_BOXES: (lambda: DotsAndBoxes(3, 3), 5, 19),
    BREAKTHROUGH: (lambda: Breakthrough(5, 4), 3, 14),
    HEX: (lambda: Hex(4), 1, 10),
}
TRAPS, TUNING, HELD_OUT = "traps", "tuning", "held_out"
_CONNECT4_SETS = {TRAPS: "all", TUNING: "both", HELD_OUT: "held_out_both"}
_SEEDS = {TRAPS: 0, TUNING: 1, HELD_OUT: 1}  # of the random games; held-out positions follow those for tuning
_MISLEADING = "misleading"
_TRIES = 100  # random games for each wanted position, before a game is taken to have no more


@dataclass(frozen=True)
class Judged:
    """A position with the exact value of each legal move, for the side to move.

    Attributes
    ----------
    board : object with a ``game``
    moves : tuple of int
        The legal moves in increasing order.
    values : tuple of float
        1 a win, 1/2 a draw, 0 a loss.
    depths : tuple of int
        Of each move that loses: the plies after it up to the end, if both play best; 0 of other moves. In Dots and
        Boxes, whose games all last 24 edges, these are the edges that are left.
    """

    board: Any
    moves: tuple[int, ...]
    values: tuple[float, ...]
    depths: tuple[int, ...]

    def keeps_value(self, move: int) -> bool:
        """Return whether no move has a higher value."""
        return self.values[self.moves.index(move)] == max(self.values)

    def depth(self, move: int) -> int:
        """Return the depth of a move that loses; 0 of other moves."""
        return self.depths[self.moves.index(move)]


def judged_positions(game: str, use: str, count: int, skip: int = 0, seed: int = 0) -> list[Judged]:
    """Return up to `count` positions in which a move can lose the value, none lost, none with an immediate win.

    Parameters
    ----------
    game : str
        One of `GAMES`.
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
    >>> position = judged_positions("Hex 4x4", "traps", 1)[0]
    >>> max(position.values), min(position.values), max(position.depths) > 0
    (1.0, 0.0, True)
    """
    if game not in GAMES:
        raise ValueError(must_be_one_of("game", game, GAMES))
    if game == CONNECT4:
        graded = (position for position, kind in sourced_positions(_CONNECT4_SETS[use]) if kind != _MISLEADING)
        found = [_of_graded(position) for position in graded if use != TRAPS or traps_of(position)]
        return found[:count]
    return _random_positions(game, derived_seed(seed + _SEEDS[use], (Purpose.BENCHMARK,)), skip + count)[skip:]


def _of_graded(position: Graded) -> Judged:
    columns = tuple(position.board.legal_moves())
    traps = traps_of(position)
    return Judged(
        position.board,
        columns,
        tuple(_value(position.scores[column] or 0) for column in columns),
        tuple(traps.get(column, 0) for column in columns),
    )


def _random_positions(game: str, seed: int, count: int) -> list[Judged]:
    """Return different positions of uniform random games, after a number of plies that is uniform in a range."""
    start, fewest, most = STARTS[game]
    found, seen = list[Judged](), set[Any]()
    for number in range(_TRIES * count):
        rng = np.random.default_rng((seed, number))
        board = start()
        for _ in range(int(rng.integers(fewest, most + 1))):
            if board.result() is None:
                board = board.play(int(rng.choice(board.moves())))
        if board.result() is not None or board in seen:
            continue
        seen.add(board)
        judged = _judge(board)
        if judged is not None:
            found.append(judged)
            if len(found) == count:
                break
    return found


def _judge(board: Any) -> Judged | None:
    """Return a position with its values, or None where no move loses the value or one wins at once."""
    values = tuple(map(_value, scores_of(board)))
    if min(values) == max(values):
        return None
    if isinstance(board, DotsAndBoxes):
        plies = [len(values) if value > 0.0 else -len(values) for value in values]
    else:
        plies = board.plies()
    if 1 in plies:
        return None
    return Judged(board, tuple(board.moves()), values, tuple(max(0, -length - 1) for length in plies))


def _value(score: int) -> float:
    """Return 1, 1/2 or 0: a win, a draw, a loss."""
    return 0.5 + 0.5 * sign(score)
