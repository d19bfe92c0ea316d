"""What the positions of the games here have in common: they play by the hooks of their game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self, cast

import numpy as np

from numerics import checks
from numerics.games import UNDECIDED, Game, Words

_RESULTS = ((0.0, 1.0), (0.5, 0.5), (1.0, 0.0))  # of both players, where the first loses, draws or wins


class GameBoard:
    """A position of a game of two players, which never changes; a class for each game says what its state means.

    It has the methods of `numerics.positions`, and the hooks of `numerics.games`, by which a search plays.

    Parameters
    ----------
    rules : Game
        The game at its start.
    word : int
        The word of the state that names the side to move: 1 for the first player, -1 for the other.

    Attributes
    ----------
    history : tuple of int
        The moves that led here.
    """

    __slots__ = ("_outcome", "_rules", "_state", "_word", "history")

    def __init__(self, rules: Game, word: int):
        self._rules, self._word = rules, word
        self._state: Words = rules.state
        self._outcome = UNDECIDED
        self.history: tuple[int, ...] = ()

    def moves(self) -> list[int]:
        """Return the legal moves in increasing order; none once the game is over."""
        if self._outcome != UNDECIDED:
            return []
        moves = np.empty(self._rules.most_moves, np.int64)
        count = self._rules.legal(self._state, moves)
        listed: list[int] = moves[:count].tolist()
        return listed

    def play(self, move: int) -> Self:
        """Return the position after a move of the player who moves.

        Raises
        ------
        ValueError
            A move that is not legal, or a finished game.
        """
        allowed = self.moves()
        if not allowed:
            raise ValueError(f"the game is over, so no move is possible; got {checks.show(move)}")
        number = checks.check_whole("move", move, 0)
        if number not in allowed:
            raise ValueError(f"move must be one of the legal moves {', '.join(map(str, allowed))}; got {number}")
        after = object.__new__(type(self))
        after._rules, after._word, after._state = self._rules, self._word, self._state.copy()
        after._make(number)
        after._outcome = int(self._rules.outcome(after._state))
        after.history = (*self.history, number)
        return after

    def _make(self, move: int) -> None:
        """Change the state of a position that is being made."""
        self._rules.play(self._state, move)

    def player(self) -> int:
        """Return who moves: 0 for the player who began, or 1."""
        return 0 if self._side > 0 else 1

    def result(self) -> tuple[float, float] | None:
        """Return 1 for the winner and 0 for the loser, or 1/2 each, in the order of players; None before the end."""
        return None if self._outcome == UNDECIDED else _RESULTS[1 - self._side * self._outcome]

    def scores(self) -> list[int]:
        """Return the exact score of each move for the player who moves, in the order of `moves`.

        A score is positive if the move wins, 0 if it draws and negative if it loses, both sides playing best.

        Raises
        ------
        ValueError
            A finished game, or a board that is too large to be solved.
        """
        raise NotImplementedError

    @property
    def _side(self) -> int:
        """The side to move: 1 for player 0, -1 for player 1; after the end, the side that did not move last."""
        return int(self._state[self._word])

    @property
    def game(self) -> Game:
        """The position for a search."""
        return self._rules.at(self._state.copy(), self._most_plies())

    def _most_plies(self) -> int:
        """Return the most moves that the game can still last by its hooks."""
        raise NotImplementedError

    def _size(self) -> tuple[int, ...]:
        """Return the arguments that make the position at the start."""
        raise NotImplementedError

    def __repr__(self) -> str:
        after = f" after {', '.join(map(str, self.history))}" if self.history else ""
        return f"<{type(self).__name__}({', '.join(map(str, self._size()))}){after}>"

    def __copy__(self) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return after_moves, (type(self), self._size(), self.history)

    def __eq__(self, other: object) -> bool:
        """Positions are equal if the states are, whatever the order of the moves."""
        return isinstance(other, GameBoard) and type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> bytes:
        return self._state.tobytes()


def after_moves(kind: type[GameBoard], size: Sequence[int], moves: Iterable[int]) -> GameBoard:
    """Return the position of a game of a size after some moves."""
    position: GameBoard = cast(Any, kind)(*size)
    for move in moves:
        position = position.play(move)
    return position
