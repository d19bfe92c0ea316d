"""The graded positions: a packaged test set and held-out set on 7 x 6, with each move's exact score.

Both hold the same four kinds: positions of uniform random games and of games of UCT against itself, traps, and
positions that mislead playouts; `experiments.graded_positions.candidates` describes them. None is finished or has an
immediate win for the side to move. Each has a legal move that loses its value, from a win to a draw or a loss, or from
a draw to a loss. Scores are those of `connect4.solver`. No position or mirror image occurs twice, in either set or in
both.
"""

from __future__ import annotations

import csv
import functools
import gzip
import io
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from connect4 import Board, notation
from numerics import checks
from numerics.output.files import atomic_write
from numerics.parameters import must_be_one_of

WIDTH = 7
RANDOM, SELF_PLAY, TRAPS, MISLEADING = "random", "self_play", "traps", "misleading"
BOTH, TEST, HELD_OUT, ALL = "both", "test", "held_out", "all"
TABLES = {
    RANDOM: "graded_positions.csv.gz",
    SELF_PLAY: "graded_self_play.csv.gz",
    TRAPS: "graded_traps.csv.gz",
    MISLEADING: "graded_misleading.csv.gz",
}
"""The table of each kind, in the folder `data`, or `data/held_out` for the held-out set."""
MIXTURES: dict[str, tuple[str, ...]] = {
    BOTH: (RANDOM, SELF_PLAY),
    TEST: (RANDOM, SELF_PLAY, TRAPS, RANDOM, SELF_PLAY, MISLEADING),
}
"""The order in which kinds alternate."""
SETS = (*TABLES, *MIXTURES, HELD_OUT, ALL, *(f"{HELD_OUT}_{kind}" for kind in (*TABLES, BOTH)))
_HEAD = ("ply", "moves", *(f"score{column}" for column in range(1, WIDTH + 1)))


@dataclass(frozen=True)
class Graded:
    """A position with the exact score of each move.

    Attributes
    ----------
    moves : tuple of int
        The 0-based columns that lead to it.
    scores : tuple of (int or None)
        The exact score of a stone on each column for the side to move; None for a full column.
    size : tuple of int
        Columns, rows and the stones in a row that win.
    """

    moves: tuple[int, ...]
    scores: tuple[int | None, ...]
    size: tuple[int, int, int] = (WIDTH, 6, 4)

    @property
    def board(self) -> Board:
        """The position."""
        return Board.from_moves(self.moves, *self.size)

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
        """Return the best score minus the score of a legal move."""
        return self.top - self._score(column)

    def _score(self, column: int) -> int:
        score = self.scores[column]
        if score is None:
            raise ValueError(f"column must be a legal move of {notation.write(self.moves, self.size[0])}; got {column}")
        return score

    @property
    def traps(self) -> dict[int, int]:
        """The columns that lose a game that is not lost, with their depths: how soon the opponent wins by force.

        A depth is the number of stones after the losing one up to the opponent's winning one; 1 for an immediate win.

        Examples
        --------
        >>> Graded(Board.from_moves("4455").moves, (-18, 18, -18, None, 0, 0, 0)).traps
        {0: 3, 2: 3}
        """
        ply, cells, depths = len(self.moves), self.size[0] * self.size[1], {}
        for column, score in enumerate(self.scores):
            if score is not None and score < 0 <= self.top:
                # Stones before the winning one, or one more, so that it is the winner's turn.
                stones = cells + 2 * score
                depths[column] = stones + (stones + ply + 1) % 2 - ply
        return depths

    @property
    def chance(self) -> float:
        """The probability that a legal move at random keeps the value."""
        legal = self.legal_scores
        return sum(sign(score) == sign(self.top) for score in legal) / len(legal)


def sign(score: int) -> int:
    """Return 1, 0 or -1: a win, a draw or a loss."""
    return (score > 0) - (score < 0)


def graded_positions(count: int | None = None, positions_from: str = RANDOM) -> list[Graded]:
    """Return the first positions of a set, by default all.

    Any number of random, self-play or misleading positions has about equally many of every ply from 8 to 28.

    Parameters
    ----------
    count : int, optional
        The number of positions.
    positions_from : str
        A kind: "random", "self_play", "traps" or "misleading"; "both" for the first two in turn; "test" for all four,
        with two random and two self-play positions for each of the others. "held_out" is a second set like "test",
        "all" is "test" followed by "held_out". "held_out_traps" are the traps of "held_out", and so on; "held_out_both"
        are its random and self-play positions in turn.

    Raises
    ------
    ValueError
        More positions than there are, or none; an unknown set.

    Examples
    --------
    >>> first = graded_positions(10)[0]
    >>> len(first.moves), len(first.scores)
    (8, 7)
    >>> len(graded_positions(None, "test"))
    6000
    """
    graded = [position for position, _ in sourced_positions(positions_from)]
    return graded if count is None else graded[: checks.check_whole("positions", count, 1, len(graded))]


@functools.cache
def sourced_positions(positions_from: str) -> tuple[tuple[Graded, str], ...]:
    """Return all positions of a set, and the kind of each: "random", "self_play", "traps" or "misleading"."""
    if positions_from not in SETS:
        raise ValueError(must_be_one_of("positions_from", positions_from, SETS))
    if positions_from == ALL:
        return sourced_positions(TEST) + sourced_positions(HELD_OUT)
    held_out = positions_from.startswith(HELD_OUT)
    name = positions_from.removeprefix(HELD_OUT).removeprefix("_") or TEST if held_out else positions_from
    turns = MIXTURES.get(name, (name,))
    data = resources.files("experiments.graded_positions").joinpath("data", *([HELD_OUT] if held_out else []))
    return tuple(
        take_in_turns({kind: read(data.joinpath(TABLES[kind]).read_bytes()) for kind in TABLES if kind in turns}, turns)
    )


def take_in_turns(kinds: Mapping[str, Sequence[Graded]], turns: Sequence[str]) -> Iterator[tuple[Graded, str]]:
    """Yield the positions of some kinds in turns, each with its kind, until a kind has no more.

    Examples
    --------
    >>> a1, a2, b1 = (Graded((column,), (0,)) for column in range(3))
    >>> [(position.moves, kind) for position, kind in take_in_turns({"a": [a1, a2], "b": [b1]}, "aba")]
    [((0,), 'a'), ((2,), 'b'), ((1,), 'a')]
    """
    left = {kind: iter(positions) for kind, positions in kinds.items()}
    for kind in itertools.cycle(turns):
        position = next(left[kind], None)
        if position is None:
            return
        yield position, kind


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
    """Write positions as a compressed table, atomically; equal positions give equal bytes."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(_HEAD)
    for position in positions:
        out.writerow((len(position.moves), notation.write(position.moves, WIDTH), *map(_cell, position.scores)))
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as beside:
        beside.write_bytes(gzip.compress(text.getvalue().encode("ascii"), 9, mtime=0))


def _cell(score: int | None) -> str:
    return "" if score is None else str(score)


def chance(positions: Sequence[Graded]) -> float:
    """Return the probability that a random legal move keeps the value, averaged over positions."""
    return sum(position.chance for position in positions) / len(positions)
