"""The graded positions: two fixed sets on 7 x 6, packed with the project, with the exact score of every move.

Those of the one come from uniform random play, those of the other from games of UCT against itself. None is finished or
has a win at once for the side to move, and each has a legal move that loses its value: from a win to a draw or a loss,
or from a draw to a loss. Scores are those of `connect4.solver`.
"""

from __future__ import annotations

import csv
import functools
import gzip
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from connect4 import Board, notation
from numerics import checks
from numerics.output.files import written_whole
from numerics.parameters import must_be_one_of

WIDTH = 7
RANDOM, SELF_PLAY, BOTH = "random", "self_play", "both"
TABLES = {RANDOM: "graded_positions.csv.gz", SELF_PLAY: "graded_self_play.csv.gz"}  # in the folder of data
SETS = (*TABLES, BOTH)
_HEAD = ("ply", "moves", *(f"score{column}" for column in range(1, WIDTH + 1)))


@dataclass(frozen=True)
class Graded:
    """A position and what each of its moves is worth.

    Attributes
    ----------
    moves : tuple of int
        The 0-based columns that lead to it.
    scores : tuple of (int or None)
        The exact score of a stone on each column for the side to move; None for a full column.
    """

    moves: tuple[int, ...]
    scores: tuple[int | None, ...]

    @property
    def board(self) -> Board:
        """The position."""
        return Board.from_moves(self.moves)

    @property
    def top(self) -> int:
        """The score of the position."""
        return max(self.legal_scores)

    @property
    def legal_scores(self) -> list[int]:
        """The scores of the legal moves."""
        return [score for score in self.scores if score is not None]

    def keeps_value(self, column: int) -> bool:
        """Return whether a legal move keeps the value of the position: win, draw or loss."""
        return sign(self._score(column)) == sign(self.top)

    def loss(self, column: int) -> int:
        """Return by how much the score of a legal move is below the best one's."""
        return self.top - self._score(column)

    def _score(self, column: int) -> int:
        score = self.scores[column]
        if score is None:
            raise ValueError(f"column must be a legal move of {notation.write(self.moves, WIDTH)}; got {column}")
        return score

    @property
    def chance(self) -> float:
        """The probability that a legal move at random keeps the value."""
        legal = self.legal_scores
        return sum(sign(score) == sign(self.top) for score in legal) / len(legal)


def sign(score: int) -> int:
    """Return 1, 0 or -1: a win, a draw or a loss."""
    return (score > 0) - (score < 0)


def graded_positions(count: int | None = None, positions_from: str = RANDOM) -> list[Graded]:
    """Return the first positions of a set, all of them unless a number is given.

    Any number of them has about equally many of every ply from 8 to 28.

    Parameters
    ----------
    count : int, optional
        How many.
    positions_from : {"random", "self_play", "both"}
        Which set; with both, every second one is from self-play, beginning with the second.

    Raises
    ------
    ValueError
        More positions than there are, or none; another set.

    Examples
    --------
    >>> first = graded_positions(10)[0]
    >>> len(first.moves), len(first.scores)
    (8, 7)
    """
    found = [one for one, _ in sourced_positions(positions_from)]
    return found if count is None else found[: checks.whole("positions", count, 1, len(found))]


@functools.cache
def sourced_positions(positions_from: str) -> tuple[tuple[Graded, str], ...]:
    """Return all positions of a set, and from which games each is: "random" or "self_play"."""
    if positions_from not in SETS:
        raise ValueError(must_be_one_of("positions_from", positions_from, SETS))
    names = TABLES if positions_from == BOTH else (positions_from,)
    packed = [
        resources.files("experiments.graded_positions").joinpath("data", TABLES[name]).read_bytes() for name in names
    ]
    turns = zip(*map(read, packed), strict=True)
    return tuple((one, name) for turn in turns for one, name in zip(turn, names, strict=True))


def read(packed: bytes) -> list[Graded]:
    """Return the positions of a compressed table."""
    rows = csv.DictReader(io.StringIO(gzip.decompress(packed).decode("ascii")))
    return [
        Graded(
            tuple(notation.parse(row["moves"], WIDTH)),
            tuple(int(row[name]) if row[name] else None for name in _HEAD[2:]),
        )
        for row in rows
    ]


def write(positions: Iterable[Graded], path: Path) -> None:
    """Write positions as a compressed table, whole; the same positions have the same bytes."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(_HEAD)
    for one in positions:
        out.writerow((len(one.moves), notation.write(one.moves, WIDTH), *map(_cell, one.scores)))
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as beside:
        beside.write_bytes(gzip.compress(text.getvalue().encode("ascii"), 9, mtime=0))


def _cell(score: int | None) -> str:
    return "" if score is None else str(score)


def chance(positions: Sequence[Graded]) -> float:
    """Return the expected share of value-preserving moves of a player that moves at random."""
    return sum(one.chance for one in positions) / len(positions)
