"""The games, and positions of each with the exact score of every move."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from experiments.engine.store import write_text
from experiments.games.rules import GAMES as RULES
from experiments.graded_positions.drawing import drawn_positions
from experiments.graded_positions.positions import BOTH, Graded, graded_positions, sign

CONNECT4 = "connect4"


@dataclass(frozen=True)
class SolvedGame:
    """A game of the page: its title there, and its name and size for `game=`."""

    title: str
    text: str


GAMES = {
    CONNECT4: SolvedGame("Connect 4, 7 x 6", "connect4"),
    "dots_and_boxes": SolvedGame("Dots and Boxes, 3 x 3", "dots_and_boxes rows=3 columns=3"),
    "breakthrough": SolvedGame("Breakthrough, 5 x 4", "breakthrough rows=5 columns=4"),
    "hex": SolvedGame("Hex, 4 x 4", "hex size=4"),
    "breakthrough_5x5": SolvedGame("Breakthrough, 5 x 5", "breakthrough rows=5 columns=5"),
    "hex_5x5": SolvedGame("Hex, 5 x 5", "hex size=5"),
}
USUAL = (CONNECT4, "dots_and_boxes", "breakthrough", "hex")
"""The games of the page."""


def draw(path: Path, name: str, count: int, seed: int) -> None:
    """Store positions of random games and of self-play in turn; those of Connect 4 are the packed ones.

    Raises
    ------
    ValueError
        The game has fewer.
    """
    drawn = graded_positions(count, BOTH) if name == CONNECT4 else drawn_positions(GAMES[name].text, count, BOTH, seed)
    if len(drawn) < count:
        raise ValueError(
            f"positions and tuning must be at most {len(drawn):,} together in {name}, seed {seed}; got {count:,}"
        )
    write_text(path, json.dumps([[position.moves, position.scores] for position in drawn]))


@functools.lru_cache(maxsize=4)
def graded(path: Path, name: str) -> tuple[Graded, ...]:
    """Return the positions that `draw` stored."""
    rules, stored = RULES.of(GAMES[name].text, "game"), json.loads(path.read_text(encoding="utf-8"))
    return tuple(Graded(tuple(moves), tuple(scores), rules) for moves, scores in stored)


def values_of(position: Graded) -> npt.NDArray[np.float64]:
    """Return the value of each legal move, in increasing order of moves: 1 a win, 1/2 a draw, 0 a loss.

    Examples
    --------
    >>> values_of(Graded((), (-1, 1, 1, -1), RULES.of("hex size=2", "game"))).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    return np.array([0.5 + 0.5 * sign(score) for score in position.legal_scores])


def moves_of(position: Graded) -> npt.NDArray[np.int64]:
    """Return the legal moves in increasing order."""
    legal = zip(position.options, position.scores, strict=True)
    return np.array([move for move, score in legal if score is not None], dtype=np.int64)
