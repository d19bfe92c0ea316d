"""The part of a position that pictures, kernel states and the referee read; `connect4.Board` implements it.

`connect4.Board` imports those modules, so they cannot import it.
"""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from connect4.lines import Cell


class Position(Protocol):
    """A position of Connect 4 to show or encode."""

    width: int
    height: int
    connect: int
    plies: int
    to_move: int

    @property
    def grid(self) -> npt.NDArray[np.int8]:
        """The cells, row 0 on top: 0 empty, 1 the player who began, -1 the other."""

    @property
    def heights(self) -> tuple[int, ...]:
        """Stones in each column."""

    @property
    def moves(self) -> tuple[int, ...]:
        """The 0-based columns played."""

    def stones(self, player: int) -> int:
        """Return the stones of a player as bits."""

    def winner(self) -> int:
        """Return 1 or -1, or 0 while nobody has won."""

    def is_finished(self) -> bool:
        """Return whether the game is over."""

    def winning_rows(self) -> list[tuple[Cell, ...]]:
        """Return the winner's complete rows."""


class PositionInPlay(Position, Protocol):
    """A position that a referee can play on."""

    def play(self, column: Any, /) -> None:
        """Put a stone of the side to move on a column; ValueError for an illegal move."""

    def copy(self) -> Self:
        """Return an independent copy of the position."""
