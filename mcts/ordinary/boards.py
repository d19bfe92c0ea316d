"""What a search can be given, as a game: a board with hooks, or a position of an ordinary class."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from mcts.adapters import position_of
from mcts.ordinary.turns import OrdinaryGame, game_of_turns, takes_turns
from numerics.games import Game
from numerics.positions import is_ordinary, name_of
from numerics.promises import unfinished_game


def game_of(board: Any, *, is_shared: bool = True) -> Game:
    """Return the game of a position that is not over.

    Raises
    ------
    ValueError
        As `numerics.promises.unfinished_game`; or a position of an ordinary class of another kind than `takes_turns`.
    """
    board = plain(board)
    if not is_ordinary(board):
        return unfinished_game(board)
    if not takes_turns(board):
        raise ValueError(
            f"board must be a two-player game without chance, ending in a win, draw or loss; got {name_of(board)}; "
            "use mcts.search for other games"
        )
    return game_of_turns(board, is_shared=is_shared)


def plain(board: Any) -> Any:
    """Return the position of a state of another library; anything else as it is."""
    position = position_of(board)
    return board if position is None else position


def keep_board(board: Any) -> Any:
    """Return what a search keeps of a board: a copy, or a position of an ordinary class itself, which never changes."""
    return board if is_ordinary(board) else copy.copy(board)


def shares(game: Game) -> bool:
    """Return whether a game is of an ordinary class that compares positions."""
    return isinstance(game, OrdinaryGame) and game.is_shared


def names_of(game: Game) -> Sequence[Any] | None:
    """Return the moves of an ordinary class by their numbers; None of a game whose moves are numbers."""
    return game.names if isinstance(game, OrdinaryGame) else None
