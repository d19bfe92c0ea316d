"""Advice to a person about a position: exact scores if they are found in time, else the result of a search."""

from __future__ import annotations

from dataclasses import dataclass

from connect4 import Board
from connect4.notation import number_of_column, shown_list
from connect4.solver.results import verdict
from experiments.players.perfect import of_best_score
from experiments.players.proven import after_move
from mcts import SearchResult, search

_SECONDS = 1.0  # for the exact score of a column
_SIMULATIONS = 20_000  # of the search where these do not suffice


@dataclass(frozen=True)
class Advice:
    """Either the exact score of every column, None for a full one, or the result of a search."""

    scores: tuple[int | None, ...] | None
    result: SearchResult | None

    @property
    def sentence(self) -> str:
        """The column to play, and the reason."""
        if self.scores is not None:
            best, top = of_best_score(self.scores), max(score for score in self.scores if score is not None)
            return f"hint: column {' or '.join(shown_list(best).rsplit(', ', 1))}, exactly {verdict(top)}"
        assert self.result is not None
        index = self.result.moves.tolist().index(self.result.best_move)
        expected = f"{100.0 * self.result.values[index]:.0f} % expected"
        column = number_of_column(self.result.best_move)
        return f"hint: column {column}, {expected} by {self.result.simulations:,} simulations"


def advise(board: Board) -> Advice:
    """Return advice for the side to move on a board of any size, whose game goes on.

    Examples
    --------
    >>> advise(Board.from_moves("21", 4, 3, 3)).sentence
    'hint: column 2, 3 or 4, exactly a win, score +2'
    """
    scores = exact_scores(board, _SECONDS)
    if scores is not None:
        return Advice(scores, None)
    return Advice(None, search(board, simulations=_SIMULATIONS, seed=0))


def exact_scores(board: Board, seconds: float) -> tuple[int | None, ...] | None:
    """Return the exact score of every column, or None where one is not found in time."""
    scores: list[int | None] = [None] * board.width
    for column in board.legal_moves():
        try:
            scores[column] = after_move(board, column, seconds).score
        except ValueError:  # a board too large to be solved
            return None
        if scores[column] is None:
            return None
    return tuple(scores)
