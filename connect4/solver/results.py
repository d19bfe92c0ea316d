"""Results of the solver: the `Solution` of a position, the `Analysis` of its columns, and scores as text."""

from __future__ import annotations

from dataclasses import dataclass

from connect4 import drawing
from connect4.board import Board
from connect4.notation import shown_list, write


@dataclass(frozen=True)
class Solution:
    """Proven bounds of a position's score for the side to move.

    Attributes
    ----------
    low, high : int
        Bounds of the score; equal if it is known.
    nodes : int
        Positions searched.
    seconds : float
        Wall time.
    """

    low: int
    high: int
    nodes: int
    seconds: float

    @property
    def score(self) -> int | None:
        """The exact score, or None if only bounds are known."""
        return self.low if self.low == self.high else None

    @property
    def value(self) -> float | None:
        """1 for a win, 1/2 for a draw, 0 for a loss, or None if the bounds do not decide."""
        if self.low > 0:
            return 1.0
        if self.high < 0:
            return 0.0
        return 0.5 if self.low == self.high == 0 else None


@dataclass(frozen=True, repr=False)
class Analysis:
    """The score of every column for the side to move.

    A notebook shows the board with the score below each column.

    Attributes
    ----------
    board : Board
        The position.
    scores : tuple of (int or None)
        One for each column; None where it is full.
    best : tuple of int
        The columns of the best score, from left to right.
    variation : tuple of int
        Best play from here to the end, the leftmost column of equals.
    nodes : int
        Positions searched.
    seconds : float
        Wall time.
    """

    board: Board
    scores: tuple[int | None, ...]
    best: tuple[int, ...]
    variation: tuple[int, ...]
    nodes: int
    seconds: float

    @property
    def score(self) -> int:
        """The exact score of the position: that of the best columns."""
        return max(score for score in self.scores if score is not None)

    def __repr__(self) -> str:
        """Return one line: the best columns, 0-based, their score and the cost."""
        cost = f"{self.nodes:,} positions in {self.seconds:.3f} s"
        return f"Analysis(best {self.best}, score {with_sign(self.score)}, {cost})"

    def _repr_html_(self) -> str:
        below = ["" if score is None else with_sign(score) for score in self.scores]
        lines = [
            (self.board.to_move, f"to move: {verdict(self.score)}"),
            (0, f"best: {shown_list(self.best)}; best play: {write(self.variation, self.board.width)}"),
            (0, "columns from 1; in Python from 0"),
        ]
        return drawing.svg(self.board, drawing.Notes(below=below, bold=self.best, lines=lines))


def with_sign(score: int) -> str:
    """Return a score with its sign.

    Examples
    --------
    >>> with_sign(15), with_sign(0)
    ('+15', '0')
    """
    return f"{score:+d}" if score else "0"


def verdict(score: int) -> str:
    """Return in words what a score means for the side to move.

    Examples
    --------
    >>> verdict(15), verdict(0), verdict(-1)
    ('a win, score +15', 'a draw', 'a loss, score -1')
    """
    if score == 0:
        return "a draw"
    return f"{'a win' if score > 0 else 'a loss'}, score {with_sign(score)}"
