"""What the boards of the games here have in common: they play by the hooks of their game."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from numerics import checks
from numerics.games import UNDECIDED, Game, Words


class GameBoard:
    """A position of a game, with the moves that led to it; a class for each game says what its state means.

    Parameters
    ----------
    rules : Game
        The game at its start.
    word : int
        The word of the state that names the side to move, 1 or -1.
    """

    __slots__ = ("_moves", "_outcome", "_rules", "_state", "_word")

    def __init__(self, rules: Game, word: int):
        self._rules, self._word = rules, word
        self._state: Words = rules.state.copy()
        self._moves: list[int] = []
        self._outcome = UNDECIDED

    def play(self, move: int) -> None:
        """Make a move of the side to move.

        Raises
        ------
        ValueError
            A move that is not legal, or a finished game; the board does not change.
        """
        allowed = self.legal_moves()
        if not allowed:
            raise ValueError(f"move must be of a game that is not finished; got {checks.show(move)}")
        number = checks.check_whole("move", move, 0)
        if number not in allowed:
            raise ValueError(f"move must be one of the legal moves {', '.join(map(str, allowed))}; got {number}")
        self._make(number)
        self._moves.append(number)
        self._outcome = int(self._rules.outcome(self._state))

    def _make(self, move: int) -> None:
        self._rules.play(self._state, move)

    def legal_moves(self) -> list[int]:
        """Return the legal moves in increasing order; none once the game is over."""
        if self.is_finished():
            return []
        moves = np.empty(self._rules.most_moves, np.int64)
        count = self._rules.legal(self._state, moves)
        listed: list[int] = moves[:count].tolist()
        return listed

    def is_finished(self) -> bool:
        """Return whether the game is over."""
        return self._outcome != UNDECIDED

    def winner(self) -> int:
        """Return 1 or -1, or 0 in a draw and while nobody has won."""
        last_mover = -self.to_move
        return last_mover * self._outcome if self.is_finished() else 0

    @property
    def to_move(self) -> int:
        """The player who moves next, 1 or -1; player 1 begins."""
        return int(self._state[self._word])

    @property
    def moves(self) -> tuple[int, ...]:
        """The moves so far."""
        return tuple(self._moves)

    @property
    def game(self) -> Game:
        """The position for a search."""
        return self._rules.at(self._state.copy(), self._most_plies())

    def _most_plies(self) -> int:
        """Return the most moves that the game can still last by its hooks."""
        raise NotImplementedError

    def _size(self) -> tuple[int, ...]:
        """Return the arguments that make the board at the start."""
        raise NotImplementedError

    def __repr__(self) -> str:
        after = f" after {', '.join(map(str, self._moves))}" if self._moves else ""
        return f"<{type(self).__name__}({', '.join(map(str, self._size()))}){after}>"

    def copy(self) -> Self:
        """Return an independent board with the same position and moves."""
        other = object.__new__(type(self))
        other._rules, other._word, other._outcome = self._rules, self._word, self._outcome
        other._state, other._moves = self._state.copy(), list(self._moves)
        return other

    __copy__ = copy  # the list inside must not be shared

    def __eq__(self, other: object) -> bool:
        """Positions are equal if the states are, whatever the order of the moves."""
        return isinstance(other, GameBoard) and type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return tuple(self._state.tolist())
