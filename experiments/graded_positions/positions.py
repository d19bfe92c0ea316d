"""The graded positions: those of any game, with each move's exact score; a packed test and held-out set of Connect 4.

Both sets hold the same four kinds: positions of uniform random games and of games of UCT against itself, traps, and
positions that mislead playouts. Early positions, of 7 to 13 plies, are a kind beside these sets, with a held-out part
of its own; `experiments.graded_positions.candidates` describes them. None is finished or has an
immediate win for the side to move. Each has a legal move that loses its value, from a win to a draw or a loss, or from
a draw to a loss. Scores are those of `connect4.solver`. No position or mirror image occurs twice, in either set or in
both.
"""

from __future__ import annotations

import csv
import functools
import gzip
import io
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from connect4 import notation
from experiments.games.openings import Moves
from experiments.games.referee import Illegal, place_of
from experiments.games.rules import Connect4, Rules
from numerics import checks
from numerics.output.files import atomic_write
from numerics.parameters import must_be_one_of

WIDTH = 7
RANDOM, SELF_PLAY, TRAPS, MISLEADING, EARLY = "random", "self_play", "traps", "misleading", "early"
BOTH, TEST, HELD_OUT, ALL = "both", "test", "held_out", "all"
TABLES = {
    RANDOM: "graded_positions.csv.gz",
    SELF_PLAY: "graded_self_play.csv.gz",
    TRAPS: "graded_traps.csv.gz",
    MISLEADING: "graded_misleading.csv.gz",
    EARLY: "graded_early.csv.gz",
}
"""The table of each kind, in the folder `data`, or `data/held_out` for the held-out set."""
MIXTURES: dict[str, tuple[str, ...]] = {
    BOTH: (RANDOM, SELF_PLAY),
    TEST: (RANDOM, SELF_PLAY, TRAPS, RANDOM, SELF_PLAY, MISLEADING),
}
"""The order in which kinds alternate."""
SETS = (*TABLES, *MIXTURES, HELD_OUT, ALL, *(f"{HELD_OUT}_{kind}" for kind in (*TABLES, BOTH)))
_HEAD = ("ply", "moves", *(f"score{column}" for column in range(1, WIDTH + 1)))


PACKED = Connect4()
"""The board of the packed sets."""


def is_packed(rules: Rules) -> bool:
    """Return whether the package has positions of a game: those of Connect 4 on 7 x 6."""
    return isinstance(rules, Connect4) and rules.size == PACKED.size


@dataclass(frozen=True)
class Graded:
    """A position of a game with the exact score of each move.

    A move is what a player answers: a column of Connect 4, or one of the `options` of another game.

    Attributes
    ----------
    moves : tuple of int
        What leads to it: 0-based columns; in another game the place of each move among those that were possible.
    scores : tuple of (int or None)
        The exact score of each of the `options` for the side to move; None for a full column.
    rules : Rules
        The game.

    Examples
    --------
    >>> from experiments.games.rules import GAMES
    >>> one = Graded((), (-1, 1, 1, -1), GAMES.of("hex size=2"))
    >>> one.best, one.keeps_value(3), one.loss(3), one.chance
    ([1, 2], False, 2, 0.5)
    """

    moves: Moves
    scores: tuple[int | None, ...]
    rules: Rules = PACKED

    @property
    def board(self) -> Any:
        """The position; of Connect 4 a new board each time."""
        return self.rules.reached(self.moves)

    @functools.cached_property
    def options(self) -> Sequence[Any]:
        """The moves that `scores` belong to: all columns, or the legal moves of another game."""
        return self.rules.options(self.board)

    def __getstate__(self) -> dict[str, Any]:
        """A pickled position is without its options, which are made again."""
        return {name: value for name, value in vars(self).items() if name != "options"}

    @property
    def twins(self) -> tuple[Any, ...]:
        """What this position and those that count as the same share."""
        return self.rules.twins(self.board) or (self.moves,)

    @property
    def top(self) -> int:
        """The score of the position."""
        return max(self.legal_scores)

    @property
    def legal_scores(self) -> list[int]:
        """The scores of the legal moves."""
        return [score for score in self.scores if score is not None]

    @property
    def best(self) -> list[Any]:
        """The moves of the highest score."""
        return [move for move, score in zip(self.options, self.scores, strict=True) if score == self.top]

    def place(self, move: Any) -> int:
        """Return the place of a legal move among the options.

        Raises
        ------
        ValueError
            It is not legal.
        """
        place = self._place(move)
        if place is None:
            after = self.rules.write_opening(self.moves) or "no move"
            raise ValueError(f"move must be legal after {after}; got {checks.show(move)}")
        return place

    def is_legal(self, move: Any) -> bool:
        """Return whether a player's answer is a legal move."""
        return self._place(move) is not None

    def _place(self, move: Any) -> int | None:
        try:
            place = place_of(move, self.options)
        except Illegal:
            return None
        return None if self.scores[place] is None else place

    def score(self, move: Any) -> int:
        """Return the score of a legal move."""
        score = self.scores[self.place(move)]
        assert score is not None
        return score

    def keeps_value(self, move: Any) -> bool:
        """Return whether a legal move keeps the value of the position: win, draw or loss."""
        return sign(self.score(move)) == sign(self.top)

    def loss(self, move: Any) -> int:
        """Return the best score minus the score of a legal move."""
        return self.top - self.score(move)

    @property
    def chance(self) -> float:
        """The probability that a legal move at random keeps the value."""
        legal = self.legal_scores
        return sum(sign(score) == sign(self.top) for score in legal) / len(legal)


def sign(score: int) -> int:
    """Return 1, 0 or -1: a win, a draw or a loss."""
    return (score > 0) - (score < 0)


def value_of(score: int) -> float:
    """Return 1, 1/2 or 0: a win, a draw or a loss.

    Examples
    --------
    >>> value_of(7), value_of(0), value_of(-1)
    (1.0, 0.5, 0.0)
    """
    return 0.5 + 0.5 * sign(score)


def graded_positions(count: int | None = None, positions_from: str = RANDOM) -> list[Graded]:
    """Return the first positions of a set, by default all.

    Any number of random, self-play or misleading positions has about equally many of every ply from 8 to 28.

    Parameters
    ----------
    count : int, optional
        The number of positions.
    positions_from : str
        A kind: "random", "self_play", "traps" or "misleading". "both" has the first two in turn. "test" has all four,
        with two random and two self-play positions for each of the others. "early" has positions of 7 to 13 plies,
        which belong to none of these sets. "held_out" is a second set like "test". "all" is "test", then "held_out".
        "held_out_traps" are the traps of "held_out", and so on; "held_out_both" are its random and self-play positions
        in turn.

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
    """Return all positions of a set, and the kind of each: such as "random"."""
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
    """Yield the positions of some kinds in turns, each with its kind; a kind that has no more is left out.

    Examples
    --------
    >>> a1, a2, b1 = (Graded((column,), (0,)) for column in range(3))
    >>> [(position.moves, kind) for position, kind in take_in_turns({"a": [a1, a2], "b": [b1]}, "aba")]
    [((0,), 'a'), ((2,), 'b'), ((1,), 'a')]
    """
    left = {kind: deque(positions) for kind, positions in kinds.items()}
    while any(left.values()):
        for kind in turns:
            if left[kind]:
                yield left[kind].popleft(), kind


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
