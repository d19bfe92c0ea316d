"""The position that a search begins at, checked."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from numerics.game import UNDECIDED, Game, Playable


def game_of(board: Playable) -> Game:
    """Return the game of a position that is not over.

    Raises
    ------
    ValueError
        The board has no game, or its game is over.
    """
    game = getattr(board, "game", None)
    if not isinstance(game, Game):
        raise ValueError(f"board must be a position with a game, such as connect4.Board(); got {board!r}")
    if game.most_plies < 1 or game.outcome(game.state) != UNDECIDED:
        raise ValueError(f"board must be a position that is not finished; got {board!r}")
    return game


def legal_moves(game: Game) -> npt.NDArray[np.int64]:
    """Return the legal moves of a game's position."""
    moves = np.empty(game.most_moves, dtype=np.int64)
    return moves[: game.legal(game.state, moves)].copy()
