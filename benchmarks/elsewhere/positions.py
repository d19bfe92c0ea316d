"""Positions of each game, with the exact score of every move."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.solved_games import CONNECT4, GAMES
from experiments.engine.store import write_text
from experiments.games.rules import GAMES as RULES
from experiments.graded_positions.drawing import drawn_positions
from experiments.graded_positions.positions import BOTH, Graded, graded_positions, value_of


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
    return np.array([value_of(score) for score in position.legal_scores])


def moves_of(position: Graded) -> npt.NDArray[np.int64]:
    """Return the legal moves in increasing order."""
    legal = zip(position.options, position.scores, strict=True)
    return np.array([move for move, score in legal if score is not None], dtype=np.int64)
