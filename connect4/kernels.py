"""A board's position for kernels: on a bitboard where (height + 1) * width <= 64, on cells beyond."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numerics.game import Game, NamedHooks, Words

if TYPE_CHECKING:
    from connect4.board import Board


_PRIORS_ON_BITS = NamedHooks({"lines": "connect4.prior_kernels.lines_on_bits"})
_PRIORS_ON_CELLS = NamedHooks({"lines": "connect4.prior_kernels.lines_on_cells"})


def fits_bitboard(width: int, height: int) -> bool:
    """Return whether a board has a bitboard of 64 bits."""
    return (height + 1) * width <= 64


def game_of(board: Board, *, bits: bool | None = None) -> Game:
    """Return a board's position and hooks.

    Parameters
    ----------
    board : Board
        Not changed.
    bits : bool, optional
        Whether to use a bitboard; where one fits unless given (tests compare the two).

    Raises
    ------
    ValueError
        A bitboard for a board that has none.
    """
    fits = fits_bitboard(board.width, board.height)
    if bits and not fits:
        raise ValueError(f"bits must be False on a board of {board.width} x {board.height}, which has no bitboard")
    bits = fits if bits is None else bits
    if bits:
        from connect4 import bitboard as kernels

        state = bitboard_state(board)
    else:
        from connect4 import cells as kernels  # type: ignore[no-redef]

        state = cells_state(board)
    return Game(
        state=state,
        most_moves=board.width,
        most_plies=board.empty_cells,
        legal=kernels.legal,
        play=kernels.play,
        outcome=kernels.outcome,
        rollouts={"uniform": kernels.uniform_rollout, "biased": kernels.biased_rollout},
        priors=_PRIORS_ON_BITS if bits else _PRIORS_ON_CELLS,
    )


def bitboard_state(board: Board) -> Words:
    """Return the six words of `connect4.bitboard`."""
    stride = board.height + 1
    bottom = sum(1 << (stride * column) for column in range(board.width))
    mine, theirs = board.stones(board.to_move), board.stones(-board.to_move)
    connect = board.connect if board.connect <= min(board.width, board.height) else -board.connect
    return np.array([mine, mine | theirs, bottom, bottom * ((1 << board.height) - 1), stride, connect], dtype=np.int64)


def cells_state(board: Board) -> Words:
    """Return the words of `connect4.cells`."""
    head = [board.width, board.height, board.connect, board.to_move, board.empty_cells, int(board.winner() != 0)]
    return np.concatenate([head, board.heights, board.grid[::-1].T.ravel()]).astype(np.int64)
