"""OpenSpiel's connect_four: its positions from our boards, and boards from its positions, of any size.

Needs the package open_spiel, from the extra [interop].
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from connect4.board import Board
from connect4.order import moves_to

GAME = "connect_four"


@functools.lru_cache(maxsize=16)
def game_of(width: int, height: int, connect: int) -> Any:
    """Return OpenSpiel's game on a board of this size."""
    pyspiel = importlib.import_module("pyspiel")
    return pyspiel.load_game(GAME, {"columns": width, "rows": height, "x_in_row": connect})


def state_of(board: Board) -> Any:
    """Return OpenSpiel's position of a board."""
    state = game_of(board.width, board.height, board.connect).new_initial_state()
    for column in moves_to(board):
        state.apply_action(column)
    return state


def board_of(state: Any) -> Board:
    """Return the board of an OpenSpiel position.

    Raises
    ------
    ValueError
        A position of another game.

    Examples
    --------
    >>> board_of(state_of(Board.from_moves("5", 5, 6))) == Board.from_moves("5", 5, 6)
    True
    """
    game = state.get_game()
    if game.get_type().short_name != GAME:
        raise ValueError(f"state must be a position of {GAME}; got one of {game.get_type().short_name}")
    size = game.get_parameters()
    return Board.from_moves(state.history(), size["columns"], size["rows"], size["x_in_row"])
