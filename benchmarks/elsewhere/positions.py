"""The games, and positions of each with the exact value of every move."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from connect4 import Board
from experiments.engine.store import write_text
from experiments.graded_positions.positions import sign, sourced_positions
from mcts import UCTPlayer
from mcts.games.breakthrough import Breakthrough
from mcts.games.dots_and_boxes import DotsAndBoxes
from mcts.games.hex import Hex
from numerics.positions import scores_of

CONNECT4 = "connect4"
_SIMULATIONS = 200  # of a move of self-play
_TRIES = 1_000  # games of a position


@dataclass(frozen=True)
class Judged:
    """A position with the exact value of each legal move.

    Attributes
    ----------
    board : object with a ``game``
        The position.
    moves : tuple of int
        The legal moves, in increasing order.
    values : tuple of float
        Their values under best play: 1 a win, 1/2 a draw, 0 a loss.
    """

    board: Any
    moves: tuple[int, ...]
    values: tuple[float, ...]

    def keeps_value(self, move: int) -> bool:
        """Return whether a legal move keeps the value of the position."""
        return self.values[self.moves.index(move)] == max(self.values)

    @property
    def gaps(self) -> npt.NDArray[np.float64]:
        """What each move loses: float64[K]."""
        return max(self.values) - np.array(self.values)

    @property
    def chance(self) -> float:
        """The probability that a legal move at random keeps the value."""
        return self.values.count(max(self.values)) / len(self.values)


@dataclass(frozen=True)
class SolvedGame:
    """A game of the page.

    Attributes
    ----------
    title : str
        Its name on the page.
    start : callable
        Returns the board at the start.
    plies : tuple of int
        The fewest and the most plies of its positions.
    """

    title: str
    start: Callable[[], Any]
    plies: tuple[int, int]


GAMES = {
    CONNECT4: SolvedGame("Connect 4, 7 x 6", Board, (8, 28)),
    "dots_and_boxes": SolvedGame("Dots and Boxes, 3 x 3", lambda: DotsAndBoxes(3, 3), (4, 18)),
    "breakthrough": SolvedGame("Breakthrough, 5 x 4", lambda: Breakthrough(5, 4), (4, 20)),
    "hex": SolvedGame("Hex, 4 x 4", lambda: Hex(4), (2, 10)),
    "breakthrough_5x5": SolvedGame("Breakthrough, 5 x 5", lambda: Breakthrough(5, 5), (4, 24)),
    "hex_5x5": SolvedGame("Hex, 5 x 5", lambda: Hex(5), (5, 16)),
}
LARGER = ("breakthrough_5x5", "hex_5x5")
"""Games of which the page has a summary only."""


def draw(path: Path, name: str, count: int, seed: int) -> None:
    """Store positions of random games and of self-play in turn, as the moves that lead to them and their scores."""
    if name == CONNECT4:
        packed = [position for position, _ in sourced_positions("both")[:count]]
        write_text(path, json.dumps([[position.moves, position.legal_scores] for position in packed]))
        return
    game, seen, found = GAMES[name], set[Any](), []
    low, high = game.plies
    for number in range(count):
        for position in _games(game, seed, number, low + number // 2 % (high - low + 1)):
            if position in seen:
                continue
            scores = scores_of(position)
            if len(set(map(sign, scores))) > 1 and not _wins_at_once(position):
                seen.add(position)
                found.append([position.history, scores])
                break
        else:
            raise ValueError(f"seed {seed} has no position for number {number} of {name}; take another one")
    write_text(path, json.dumps(found))


def _games(game: SolvedGame, seed: int, number: int, plies: int) -> Iterator[Any]:
    uniform, player = random.Random(f"{seed} {number}"), UCTPlayer(simulations=_SIMULATIONS, seed=seed)
    for again in range(_TRIES):
        player.reset(number * _TRIES + again)
        position = game.start()
        while len(position.history) < plies and position.result() is None:
            position = position.play(player.play(position) if number % 2 else uniform.choice(position.moves()))
        if position.result() is None:
            yield position


def _wins_at_once(position: Any) -> bool:
    results = (position.play(move).result() for move in position.moves())
    return any(result is not None and result[position.player()] == 1.0 for result in results)


@functools.lru_cache(maxsize=4)
def judged(path: Path, name: str) -> tuple[Judged, ...]:
    """Return the positions that `draw` stored."""
    found = []
    for moves, scores in json.loads(path.read_text(encoding="utf-8")):
        if name == CONNECT4:
            board = Board.from_moves(moves)
            legal = board.legal_moves()
        else:
            board = functools.reduce(lambda position, move: position.play(move), moves, GAMES[name].start())
            legal = board.moves()
        found.append(Judged(board, tuple(legal), tuple(0.5 + 0.5 * sign(score) for score in scores)))
    return tuple(found)
