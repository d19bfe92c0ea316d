"""Boards of python-chess as positions: chess, chess960 and the variants of `chess.variant`.

    >>> import chess
    >>> position = position_of(chess.Board()).play(chess.Move.from_uci("e2e4"))
    >>> position.player(), len(position.moves()), position.result()
    (1, 20, None)

Needs the package chess (python-chess), which no extra brings: its licence is the GPL.
"""

from __future__ import annotations

import random
from typing import Any, ClassVar

from numerics.positions import WIN_DRAW_LOSS


class ChessPosition:
    """A board. Make it with `position_of`.

    White is player 0, black player 1. A game ends by the automatic rules: checkmate, stalemate, insufficient material,
    75 moves without a capture or pawn move, or fivefold repetition. Two positions are equal if all of that is: the same
    men and rights, the same clock, and the same moves that could be repeated.

    Attributes
    ----------
    board : chess.Board
        Not changed. Its stack holds the moves that matter for repetitions.
    """

    __slots__ = ("_key", "board")
    kind: ClassVar[str] = WIN_DRAW_LOSS

    def __init__(self, board: Any):
        self.board = board
        self._key: Any = None

    def moves(self) -> list[Any]:
        """Return the legal moves, each a `chess.Move`."""
        return list(self.board.legal_moves)

    def play(self, move: Any) -> ChessPosition:
        """Return the position after a move."""
        board = _copy(self.board)
        _push(board, move)
        return ChessPosition(board)

    def player(self) -> int:
        """Return 0 where white moves, 1 where black does."""
        return 0 if self.board.turn else 1

    def result(self) -> tuple[float, float] | None:
        """Return 1 for the winner and 0 for the loser, 0.5 for each after a draw; None before the end."""
        return _result(self.board)

    def playout(self, rng: random.Random, steps: int, discount: float = 1.0) -> tuple[float, ...]:
        """Return the result of a game of uniformly random moves; a draw if it does not end within some steps."""
        board, worth = _copy(self.board), 1.0
        for step in range(steps):
            result = _result(board)
            if result is not None:
                return tuple(worth * number for number in result)
            worth = worth * discount if step else 1.0
            moves = list(board.legal_moves)
            _push(board, moves[int(rng.random() * len(moves))])
        return tuple(worth * number for number in _result(board) or (0.5, 0.5))

    @property
    def _identity(self) -> Any:
        if self._key is None:
            board = self.board
            moves = tuple(board.move_stack)
            self._key = (type(board), board.chess960, board._transposition_key(), board.halfmove_clock, moves)
        return self._key

    def __eq__(self, other: object) -> bool:
        return self._identity == other._identity if isinstance(other, ChessPosition) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity)

    def __str__(self) -> str:
        return str(self.board)

    def __repr__(self) -> str:
        return f"<{self.board.fen()}>"


def position_of(board: Any) -> ChessPosition:
    """Return a position of a board of python-chess, which is copied.

    Parameters
    ----------
    board : chess.Board
    """
    return ChessPosition(_copy(board))


def _result(board: Any) -> tuple[float, float] | None:
    outcome = board.outcome()
    if outcome is None:
        return None
    if outcome.winner is None:
        return 0.5, 0.5
    return (1.0, 0.0) if outcome.winner else (0.0, 1.0)


def _push(board: Any, move: Any) -> None:
    """Play a move on a board; forget those that can no longer be repeated."""
    board.push(move)
    if _forgets(board) and not board.halfmove_clock:
        board.clear_stack()


def _copy(board: Any) -> Any:
    """Return a copy with the moves that matter for repetitions."""
    return board.copy(stack=board.halfmove_clock if _forgets(board) else True)  # 0 is none


def _forgets(board: Any) -> bool:
    """Return whether no position from before a capture or a pawn's move comes again, as in chess itself."""
    return type(board).__module__ == "chess"
