"""The player that looks some stones ahead and knows wins and losses only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from connect4.board import Board
from connect4.players.alpha_beta import CLOSED, column_values
from connect4.players.simple import Chooser
from numerics.parameters import must_be_one_of, parameter

FULL, LOSES, NEITHER, WINS = -1.0, 0.0, 50.0, 100.0
TIEBREAKS = ("LEFT", "RIGHT", "RANDOM")


def _tiebreak(name: str, value: Any) -> str:
    """Return a tie-break in capital letters, or raise ValueError for an unknown one."""
    if not isinstance(value, str) or value.upper() not in TIEBREAKS:
        raise ValueError(must_be_one_of(name, value, TIEBREAKS))
    return value.upper()


class Lookahead(Chooser, name="lookahead"):
    """Plays a column of the best score, by exact play over the next `ply` stones.

    Examples
    --------
    >>> board = Board.from_moves([1, 2, 1, 1, 2, 4, 4, 4, 4, 5])
    >>> Lookahead(ply=3).scores_for(board, 1)
    [0.0, 0.0, 0.0, 100.0, 0.0, 0.0, 0.0]
    """

    ply: int = parameter(2, low=0, help="plies to look ahead: 1 sees immediate wins, 2 also immediate losses")
    tiebreak: str = parameter(
        "RANDOM",
        check=_tiebreak,
        help="tie-breaking between best columns: furthest LEFT, furthest RIGHT, or RANDOM",
    )

    def scores_for(self, board: Board, player: int | None = None) -> list[float]:
        """Return the score of each column for a player who puts the next stone there, regardless of the turn.

        Parameters
        ----------
        board : Board
            Any position, even if won or full.
        player : int, optional
            1 or -1; the side to move unless given.

        Returns
        -------
        list of float, one a column
            -1 for a full column, 0 if it loses within `ply` stones, 100 if it wins. Else 50, also for a drawn board. On
            a won board, every open column has the score of that board.
        """
        player = board.to_move if player is None else player
        decided = self.score_board(board, player)  # checks the player, too
        if self.ply == 0 or decided != NEITHER:
            return [FULL if height == board.height else decided for height in board.heights]
        weights = np.zeros((board.width, board.height), dtype=np.int64)  # only rows count
        values = column_values(board, player, weights, self.ply, low=-1, high=1)
        return [FULL if value == CLOSED else NEITHER + float(np.sign(value)) * (WINS - NEITHER) for value in values]

    def score_board(self, board: Board, player: int) -> float:
        """Return 100 if the player has won, 0 if the other one has, else 50."""
        if board.has_won(player):
            return WINS
        return LOSES if board.has_won(-player) else NEITHER

    def tiebreak_move(self, scores: Sequence[float]) -> int:
        """Return a column of the highest score, chosen by the tie-break.

        Examples
        --------
        >>> Lookahead(tiebreak="RIGHT").tiebreak_move([0, 0, 50, 0, 50, 50, 0])
        5
        """
        columns = self._best(scores)
        return columns[self.pick(len(columns))] if len(columns) > 1 else columns[0]

    def candidates(self, board: Board) -> list[int]:
        """Return the columns of the highest score that remain after the tie-break."""
        return self._best(self.scores_for(board))

    def _best(self, scores: Sequence[float]) -> list[int]:
        highest = max(scores)
        columns = [column for column, score in enumerate(scores) if score == highest]
        return {"LEFT": columns[:1], "RIGHT": columns[-1:], "RANDOM": columns}[self.tiebreak]
